import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The servers that speak the protocol and run Lua, in order of preference. */
const names = ['redis-server', 'valkey-server'];

/** The first Redis or Valkey server on PATH; `undefined` when there is none. */
export function findRedisBinary(path: string = process.env['PATH'] ?? ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
