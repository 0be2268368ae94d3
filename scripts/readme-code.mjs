/**
 * The code in Markdown is the code in the files. A block that follows `<!-- code: path -->` must be that file, or what
 * stands between its `#region readme` and `#endregion`. `--update` writes it in; without it, a difference fails.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const pages = ['README.md', 'docs/react.md', 'docs/existing-app.md', 'docs/server.md'];
const update = process.argv.includes('--update');
let stale = 0;

for (const page of pages) {
  const before = readFileSync(join(root, page), 'utf8');
  const after = before.replaceAll(
    /(<!-- code: (\S+) -->\n+```\w+\n)[\s\S]*?^(```)$/gm,
    (_, open, path, close) => `${open}${codeOf(path)}\n${close}`,
  );
  if (after === before) continue;
  if (update) writeFileSync(join(root, page), after);
  else stale++;
}

if (stale > 0) {
  console.error(
    'README.md or a page of docs shows code that is not in the files; run: node scripts/readme-code.mjs --update',
  );
  process.exitCode = 1;
}

function codeOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const region = /\/\/ #region readme\n([\s\S]*?)\n\s*\/\/ #endregion/.exec(text);
  return (region?.[1] ?? text).trim();
}
