import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Answers with the files of a folder; `/` is its index.html. */
export function staticFiles(folder: string): RequestListener {
  return async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://here');
    const path = normalize(pathname === '/' ? '/index.html' : decodeURIComponent(pathname));
    try {
      const body = await readFile(join(folder, path));
      const headers = {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        // Built files carry their digest in their name; the page itself must be asked for anew.
        'cache-control': path.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
      };
      response.writeHead(200, headers).end(body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n');
    }
  };
}
