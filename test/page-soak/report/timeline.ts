import type { Case } from '../check/case.js';

/** Steps this long before and after belong to it. */
const AROUND_MS = 3_000;

/** What happened to some carts, line by line, with what their visitors did at the time. */
export function timeline(carts: readonly string[], { story, ledger }: Case): string {
  const isOne = (name: string | undefined) => name !== undefined && carts.includes(name);
  const lines: { at: number; text: string }[] = [];
  const add = (at: number, visitor: string, text: string) =>
    lines.push({ at, text: `${visitor.padEnd(6)} ${text}` });
  for (const { at, visitor, account, signedIn, cart } of story.taps)
    if (isOne(cart))
      add(at, visitor, `tapped as ${account}${signedIn === account ? '' : `, but ${signedIn} is in`}`);
  for (const { at, visitor, authorization, body, network, answer } of story.arrivals.filter(({ key }) =>
    isOne(key),
  )) {
    add(at, visitor, `sent as ${authorization}, network ${network || 'works'}: ${body}`);
    if (answer) add(answer.at, visitor, `answer ${answer.status} ${answer.settlement ?? ''}`);
  }
  for (const sight of story.sights) {
    const { at, visitor, tab } = sight;
    if (sight.kind === 'operation' && isOne(sight.key))
      add(at, visitor, `tab ${tab} shows ${sight.state}: ${sight.badge}`);
    if (sight.kind === 'told' && (isOne(sight.of) || isOne(sight.cart)))
      add(at, visitor, `tab ${tab}, ${sight.state}, tells of ${sight.of ?? '–'}: ${sight.text}`);
  }
  const from = Math.min(...lines.map(({ at }) => at)) - AROUND_MS;
  const to = Math.max(...lines.map(({ at }) => at)) + AROUND_MS;
  for (const { at, visitor, what } of story.steps) if (at >= from && at <= to) add(at, visitor, `— ${what}`);
  const rows = ledger.orders.filter(({ cart }) => isOne(cart));
  const records = ledger.records.filter(({ key }) => isOne(key));
  return [
    ...lines.sort((one, other) => one.at - other.at).map(({ at, text }) => `  ${clock(at)} ${text}`),
    ...rows.map((row) => `  order  ${JSON.stringify(row)}`),
    ...records.map((row) => `  record ${JSON.stringify(row)}`),
  ].join('\n');
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
