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

test('a copy keeps the class, its methods and getters, and can be marked anew while the original stays as it is', () => {
  class Session {
    user = 'ann';
    get shout() {
      return this.user.toUpperCase();
    }
    may(what: string) {
      return `${this.user} may ${what}`;
    }
  }
  const session = Object.freeze(new Session());
  const one = withWire(copied(session), facts('k1'));
  const other = withWire(copied(one), facts('k2'));
  for (const context of [one, other]) {
    expect(context).toBeInstanceOf(Session);
    expect([context.user, context.shout, context.may('pay')]).toEqual(['ann', 'ANN', 'ann may pay']);
  }
  expect([wireOf(session), wireOf(one)?.key, wireOf(other)?.key]).toEqual([
    undefined,
    { ok: true, key: 'k1' },
    { ok: true, key: 'k2' },
  ]);
});
