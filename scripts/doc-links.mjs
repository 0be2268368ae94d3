/** Every link of the Markdown to something in this repository leads there: to a file or folder, and to a heading in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
});
const pages = listed.split('\n').filter((page) => page && existsSync(join(root, page)));
const dead = pages.flatMap((page) => deadLinksOf(page));
for (const { page, link, why } of dead) console.error(`${page}: ${link} ${why}`);
if (dead.length > 0) process.exitCode = 1;

function deadLinksOf(page) {
  const text = withoutCode(readFileSync(join(root, page), 'utf8'));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  return links.flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path, anchor] = link.split('#');
    const target = path ? join(root, dirname(page), path) : join(root, page);
    if (!existsSync(target)) return [{ page, link, why: 'is not there' }];
    if (!anchor || statSync(target).isDirectory()) return [];
    return headingsOf(target).includes(anchor) ? [] : [{ page, link, why: 'has no such heading' }];
  });
}

/** As GitHub names them. */
function headingsOf(file) {
  const headings = withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text) {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}
