import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { headersWatch } from './headers-watch.js';
import { responseMeta } from './response-meta.js';
import { type WireContext, wireOf, withWire } from './wire-context.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = (more: Partial<WireContext> = {}) => {
  const ctx = withWire(
    {},
    { key: { ok: true, key: 'k1' }, ageMs: undefined, calls: 1, byAdapter: true, ...more },
  );
  return { ctx, wire: wireOf(ctx) as WireContext };
};

function open() {
  const missing = vi.fn();
  return { missing, watch: headersWatch(missing) };
}

test('an answer whose headers nobody asks for is told, once', () => {
  const { missing, watch } = open();
  for (let n = 0; n < 3; n++) {
    watch(request().wire);
    vi.advanceTimersByTime(10_000);
  }
  expect(missing).toHaveBeenCalledOnce();
});

test('headers that are asked for late, behind the app’s own middlewares, are asked for', () => {
  const { missing, watch } = open();
  const { ctx, wire } = request();
  watch(wire);
  vi.advanceTimersByTime(2_000);
  responseMeta({ ctx, errors: [] });
  vi.advanceTimersByTime(10_000);
  expect(missing).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a batch asks for headers too, though it gets none', () => {
  const { missing, watch } = open();
  const { ctx, wire } = request();
  watch(wire);
  responseMeta({ ctx, errors: [], info: { calls: [{}, {}] } });
  vi.advanceTimersByTime(10_000);
  expect(missing).not.toHaveBeenCalled();
});

test('calls on the server itself have no headers', () => {
  const { missing, watch } = open();
  watch(request({ byAdapter: false }).wire);
  expect(vi.getTimerCount()).toBe(0);
  expect(missing).not.toHaveBeenCalled();
});
