/** Leases lie among the operations, under ids that no operation can have. */
const PREFIX = 'lease ';

export function leaseId(name: string): string {
  return PREFIX + name;
}

export function isLeaseId(id: string): boolean {
  return id.startsWith(PREFIX);
}
