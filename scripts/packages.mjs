import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/**
 * The packages that are published, those first that others need.
 *
 * @returns {{ name: string, folder: string, entries: { name: string, types: string }[] }[]}
 */
export function packages() {
  const order = ['contract', 'server', 'client'];
  const folders = readdirSync(join(root, 'packages')).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return folders.map((name) => {
    const folder = join(root, 'packages', name);
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const entries = Object.entries(exports)
      .filter(([, target]) => typeof target === 'object' && target.types)
      .map(([path, { types }]) => ({
        // `.` is reported under the package's own name, `./file` as file.
        name: path === '.' ? name : path.slice(2).replaceAll('/', '-'),
        types: join(folder, types),
      }));
    return { name, folder, entries };
  });
}
