import { StoredValue } from './stored-value.js';

/** Who is signed in; `null` for nobody. A real shop would have a session cookie beside it. */
export const session = new StoredValue<string | null>('shop.session', 'ada');

export const people: Readonly<Record<string, string>> = { ada: 'Ada', ben: 'Ben' };
