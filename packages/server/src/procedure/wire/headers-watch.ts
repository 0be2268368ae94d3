import type { WireContext } from './wire-context.js';

/**
 * How long an answer is waited for on its way out, in milliseconds: what the app's own middlewares do behind it, an audit
 * log say, comes before the adapter asks for headers.
 */
const GRACE_MS = 3_000;

/**
 * Finds out that `responseMeta` was not given to the adapter: looking → (an answer that got its headers) → content, or →
 * (one that did not) → told. Looks at one answer at a time, so that it costs the others nothing.
 */
export function headersWatch(
  onMissing: () => void,
  { graceMs = GRACE_MS }: { readonly graceMs?: number } = {},
): (wire: WireContext) => void {
  let state: 'looking' | 'waiting' | 'done' = 'looking';
  return (wire) => {
    // Who calls on the server itself has no headers to set.
    if (state !== 'looking' || !wire.byAdapter) return;
    state = 'waiting';
    const look = (): void => {
      state = 'done';
      if (!wire.headersAsked) onMissing();
    };
    setTimeout(look, graceMs).unref();
  };
}
