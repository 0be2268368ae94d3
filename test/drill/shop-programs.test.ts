import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startExample } from '../resources/start-example.js';

// PGlite takes 3 s to start, and each program half a second; on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

test('the shop serves by itself; its client buys, and says what it cannot have', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trpc-once-test-'));
  try {
    await using shop = startExample('shop/src/server/main.ts', [], { PORT: '0' });
    const [, url] = await shop.says(/The shop answers at (\S+); ada has 1000\.00/);
    const buy = async (...args: string[]) => {
      await using client = startExample('shop/src/client/main.ts', args, {
        SHOP_URL: url!,
        TMPDIR: directory,
      });
      return [await client.ended, client.output()];
    };
    expect(await buy('tea-green', '2')).toEqual([
      0,
      expect.stringMatching(/^Order [\w-]{36}: 2 × tea-green for 14\.98\.\nada has 985\.02 left\.\n$/),
    ]);
    expect(await buy('cup-rare', '4')).toEqual([1, 'Only 3 of cup-rare are left.\n']);
    expect(await buy('pot-iron', '16')).toEqual([1, '1024.00 is more than the 985.02 of ada.\n']);
    expect(await buy('gold')).toEqual([1, 'The shop has no gold.\n']);
    shop.interrupt();
    expect(await shop.ended).toBe(0);
  } finally {
    await rm(directory, { recursive: true });
  }
});
