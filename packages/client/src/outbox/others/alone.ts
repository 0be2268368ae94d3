import type { OutboxPorts } from '../ports.js';
import { type Coordinator, coordinator } from './coordinator.js';
import type { Hold } from './hold.js';
import type { Holding } from './others.js';

/** Nobody else comes into question. */
export const unwanted: Hold = { lost: false, release() {} };

const free: Holding = {
  valid: true,
  take: async () => false,
  takeAndLook: async (known) => known,
  look: async (known) => known,
  drop() {},
};

/** For a storage that nobody else can have: everything is free, and stays as it is known. */
export const alone: Coordinator = coordinator(({ storage }: Pick<OutboxPorts, 'storage'>) => ({
  shared: false,
  newsMs: 0,
  leads: true,
  lead: async () => {},
  lostLead: false,
  leave() {},
  hold: async () => unwanted,
  enter: async () => unwanted,
  holding: () => free,
  async replace(id, _, text) {
    await storage.set(id, text);
    return true;
  },
  handedOver: (id) => storage.delete(id),
  // Left from when others had the storage too.
  foundHandedOver: (id) => void storage.delete(id).catch(() => {}),
  tell() {},
}));
