import { expect, test } from 'vitest';
import { copied, type WireContext, wireOf, withWire } from './wire-context.js';

const facts = (key: string): WireContext => ({ key: { ok: true, key }, ageMs: undefined, calls: 1 });

test('a plain context is copied, so that one object can serve every request', () => {
  const shared = { user: 'ann' };
  const [one, other] = [withWire(shared, facts('k1')), withWire(shared, facts('k2'))];
  expect(wireOf(one)?.key).toEqual({ ok: true, key: 'k1' });
  expect(wireOf(other)?.key).toEqual({ ok: true, key: 'k2' });
  expect(wireOf(shared)).toBeUndefined();
  expect(one.user).toBe('ann');
});

test('a frozen plain context, and one without a prototype, are no obstacle', () => {
  for (const context of [Object.freeze({ user: 'ann' }), Object.assign(Object.create(null), { user: 'ann' })])
    expect(wireOf(withWire(context, facts('k1')))).toMatchObject({ calls: 1 });
});

test('an instance of a class keeps its class', () => {
  class Session {
    readonly #user = 'ann';
    get user() {
      return this.#user;
    }
  }
  const session = new Session();
  const marked = withWire(session, facts('k1'));
  expect(marked).toBe(session);
  expect(marked.user).toBe('ann');
  expect(wireOf(marked)?.key).toEqual({ ok: true, key: 'k1' });
});

test('an instance that has served another request is refused, for it would take that one’s key', () => {
  class Session {}
  const session = new Session();
  withWire(session, facts('k1'));
  expect(() => withWire(session, facts('k2'))).toThrow(
    'createContext must make a new context for each request',
  );
});

test('the facts come along when a middleware spreads the context, and are one object for all of the request', () => {
  const context = withWire({ user: 'ann' }, facts('k1'));
  const further = { ...context, more: 1 };
  expect(wireOf(further)).toBe(wireOf(context));
});

test('what carries none has none', () => {
  for (const context of [undefined, null, 'text', 5, {}, { key: 'k1' }])
    expect(wireOf(context)).toBeUndefined();
});

test('a copy is to be marked anew, keeps its class, and leaves the context it was made of as it was', () => {
  class Session {
    user = 'ann';
    greet() {
      return `hello ${this.user}`;
    }
  }
  for (const context of [new Session(), { user: 'ann', greet: () => 'hello ann' }]) {
    const marked = withWire(context, facts('k1'));
    const again = withWire(copied(marked), facts('k2'));
    expect(again.greet()).toBe('hello ann');
    expect(wireOf(again)?.key).toEqual({ ok: true, key: 'k2' });
    expect(wireOf(marked)?.key).toEqual({ ok: true, key: 'k1' });
    expect(again instanceof Session).toBe(context instanceof Session);
  }
});
