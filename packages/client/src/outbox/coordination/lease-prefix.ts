/** Leases lie among the operations, under ids that no operation can have. */
export const LEASE_PREFIX = 'lease ';
