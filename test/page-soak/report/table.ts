import type { Case } from '../check/case.js';

/** All that was counted. */
export function pageSoakTable({ story, ledger }: Case): string {
  const keys = new Set(story.arrivals.map(({ key }) => key));
  const rows: readonly (readonly [string, number])[] = [
    ['taps on the order button', story.taps.length],
    ['carts sent', keys.size],
    ['attempts that arrived', story.arrivals.length],
    ['attempts answered', story.arrivals.filter(({ answer }) => answer).length],
    ['removed by their owners', story.forgotten.size],
    ['things shown', story.sights.length],
    ['orders on record', ledger.orders.length],
    ...counted(ledger.records.map(({ status }) => `records ${status}`)),
    ...counted(story.steps.filter(({ what }) => !what.startsWith(' ')).map(({ what }) => what)),
  ];
  return rows.map(([name, count]) => `  ${name.padEnd(40)}${String(count).padStart(7)}`).join('\n');
}

function counted(kinds: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one.localeCompare(other));
}
