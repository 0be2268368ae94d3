import { expect, test } from 'vitest';
import { installed, storesFromEnv } from './stores-from-env.js';

test.each([
  [{ databaseUrl: 'postgres://nowhere' }, 'databaseUrl is not read, did you mean DATABASE_URL?'],
  [{ REDIS_ULR: 'redis://nowhere' }, 'REDIS_ULR is not read, did you mean REDIS_URL?'],
  [{ DATABASE_URL: '', DATABASE_URI: 'postgres://nowhere' }, 'did you mean DATABASE_URL?'],
])('a store that is named nearly right is not replaced by an embedded one: %j', async (env, message) => {
  await expect(storesFromEnv(env as never)).rejects.toThrow(TypeError);
  await expect(storesFromEnv(env as never)).rejects.toThrow(message);
});

test('the process’ own names are many, so there it is only said', async () => {
  process.env['REDIS_URI'] = 'redis://nowhere';
  const { DATABASE_URL, REDIS_URL } = process.env;
  delete process.env['DATABASE_URL'];
  delete process.env['REDIS_URL'];
  try {
    const stores = await storesFromEnv();
    expect(stores.description).toContain('REDIS_URI is not read, did you mean REDIS_URL?');
    await stores.close();
  } finally {
    delete process.env['REDIS_URI'];
    Object.assign(process.env, DATABASE_URL && { DATABASE_URL }, REDIS_URL && { REDIS_URL });
  }
});

test('a package that is not installed is asked for by name, and a broken one is not', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const load = (error: Error) => () => Promise.reject(error);
  await expect(installed('pg', 'with DATABASE_URL', load(missing))).rejects.toThrow(
    'storesFromEnv() needs pg with DATABASE_URL: npm install pg',
  );
  await expect(installed('pg', 'x', load(new Error('no WebAssembly')))).rejects.toThrow('no WebAssembly');
});

test('names that have nothing to do with it are let through', async () => {
  const stores = await storesFromEnv({ PORT: '3000', DATABASE_SSL: 'off', REDIS_HOST: 'x' } as never);
  expect(stores.description).not.toContain('did you mean');
  await stores.close();
});
