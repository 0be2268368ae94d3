import { expect, test } from 'vitest';
import { spawnProgram } from './spawn-program.js';

const echo = new URL('./echo-program.ts', import.meta.url);

test('a program runs from TypeScript source with the packages from source, and says when it is ready', async () => {
  await using program = await spawnProgram<{ args: string[]; missing: string }>(echo, { args: ['a', 'b c'] });
  expect(program.ready).toEqual({ args: ['a', 'b c'], missing: 'KEY_MISSING' });
});

test('both sides hear each other by name, whatever came before', async () => {
  await using program = await spawnProgram(echo);
  program.tell('say', 'one');
  program.tell('say', 'two');
  expect(await program.hear('said')).toBe('one');
  expect(await program.hear('said')).toBe('two');
});

test('a killed program is gone at once, and waiting for its word fails with what it printed', async () => {
  await using program = await spawnProgram(echo);
  await program.kill();
  expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await expect(program.hear('said')).rejects.toThrow(/"said" was never said: .*SIGKILL\nprinted early/);
});

test('a paused program answers nothing until it is resumed', async () => {
  await using program = await spawnProgram(echo);
  program.pause();
  program.tell('say', 'late');
  await expect(program.hear('said', 200)).rejects.toThrow('not true within 200 ms: "said" is said');
  program.resume();
  expect(await program.hear('said')).toBe('late');
});

test('a program that is asked to stop ends by itself', async () => {
  await using program = await spawnProgram(echo);
  expect(await program.stop()).toEqual({ code: 0, signal: null });
});

test('a program that ends before it is ready fails with what it printed', async () => {
  const env = { FAIL_EARLY: 'yes' };
  await expect(spawnProgram(echo, { env })).rejects.toThrow(/ended with 7\nprinted early\nno luck/);
});
