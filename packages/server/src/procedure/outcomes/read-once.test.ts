import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { holdsReadOnce } from './read-once.js';

class Wrapped {
  readonly held: unknown;
  constructor(held: unknown) {
    this.held = held;
  }
}

const streams: [string, () => unknown][] = [
  ['a promise', () => Promise.resolve(1)],
  ['an async generator', () => (async function* () {})()],
  ['a web stream', () => new ReadableStream()],
  ['a Node stream', () => Readable.from([])],
  ['a Blob', () => new Blob([])],
  ['a response', () => new Response()],
  ['a form', () => new FormData()],
];

describe.each(streams)('%s is found', (_, make) => {
  test.each<[string, (it: unknown) => unknown]>([
    ['as the output', (it) => it],
    ['in an object', (it) => ({ it })],
    ['in a list', (it) => [it]],
    ['far inside', (it) => ({ a: [{ b: { c: [it] } }] })],
    ['in a Map, as key and as value', (it) => new Map([[it, it]])],
    ['in a Set', (it) => ({ set: new Set([it]) })],
    ['in an object without a prototype', (it) => Object.assign(Object.create(null), { a: { it } })],
    ['in an output that is an instance', (it) => new Wrapped(it)],
  ])('%s', (_where, wrap) => expect(holdsReadOnce(wrap(make()))).toBe(true));
});

test('nothing is found where there is nothing, in a cycle and in what is deep or large neither', () => {
  const loop: Record<string, unknown> = {};
  loop['again'] = [loop];
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const all = [undefined, null, 1, 'a', 1n, () => 1, new Date(), new Map([[1, { a: 1 }]]), new Uint8Array(9)];
  for (const output of [...all, all, loop, deep, Array(500_000).fill({ a: 1 })])
    expect(holdsReadOnce(output)).toBe(false);
});

test('inside an instance that the output only mentions it does not look: its class decides what is written', () => {
  expect(holdsReadOnce({ row: new Wrapped(Promise.resolve(1)) })).toBe(false);
});

test('promises that fail after their output was refused end no process, however many and wherever', async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', hear);
  try {
    const fail = () => Promise.reject(new Error('later'));
    expect(holdsReadOnce({ a: fail(), b: { c: [fail(), fail()] }, d: new ReadableStream() })).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(unheard).toEqual([]);
  } finally {
    process.off('unhandledRejection', hear);
  }
});
