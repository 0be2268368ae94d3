import { alone } from '../others/alone.js';
import type { Coordinator } from '../others/coordinator.js';

export interface PhoneStorageOptions {
  /**
   * How those who share the storage keep out of each other's way: `betweenTabs` where the app also runs in browsers,
   * `betweenProcesses` where several processes have the store. @default nobody shares it: an app on a phone has its own
   */
  readonly coordination?: Coordinator;
}

/**
 * The default of the storages for phones.
 * @throws TypeError in a browser, where tabs would share it uncoordinated
 */
export function onOnePhone(storage: string, given: Coordinator | undefined): Coordinator {
  if (!given && typeof document !== 'undefined')
    throw new TypeError(`${storage}: the tabs of a browser share it; give it { coordination: betweenTabs }`);
  return given ?? alone;
}
