import type { AppSabotage } from './app-sabotage.js';

/** What a process of the fleet is told when it starts; the same in all its lives. */
export interface AppOrder {
  readonly name: string;
  /** All processes over one outbox; their logs lie side by side. */
  readonly group: string;
  readonly siblings: readonly string[];
  readonly seed: number;
  readonly url: string;
  /** Where logs are. */
  readonly directory: string;
  readonly storage: AppStorageKind;
  readonly settledFirst: boolean;
  readonly sabotage?: AppSabotage | undefined;
}

export type AppStorageKind = 'shared files' | 'files' | 'web storage' | 'SQLite';

export function logOf(directory: string, name: string): string {
  return `${directory}/${name}.log`;
}

/** Who signs in at a group's apps. */
export function ownersOf(group: string): readonly [string, string] {
  return [`${group}-ann`, `${group}-bob`];
}
