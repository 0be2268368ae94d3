import type { Attempt } from '../check/history.js';
import type { Plan } from '../plan.js';
import type { SoakRun } from '../run-soak.js';

type Row = readonly [name: string, count: number | string];

/** All that was counted. */
export function soakTable(plan: Plan, run: SoakRun): string {
  const { found, injected, events, underWay, calmMs } = run;
  const attempts = [...found.history.attempts.values()];
  const operations = found.history.operations.size;
  const seconds = plan.chaosMs / 1_000;
  const mean = underWay.reduce((sum, count) => sum + count, 0) / Math.max(1, underWay.length);
  const sections: readonly (readonly [title: string, rows: readonly Row[]])[] = [
    [
      'Load held',
      [
        ['operations', operations],
        ['operations/s', (operations / seconds).toFixed(1)],
        ['under way, on average', mean.toFixed(0)],
        ['under way, at most', Math.max(0, ...underWay)],
        ['attempts', attempts.length],
        ['attempts/s', (attempts.length / seconds).toFixed(1)],
        ['slowest answer, ms', Math.max(0, ...attempts.map(({ at, endedAt }) => (endedAt ?? at) - at))],
        ['until all had ended, ms', calmMs.toFixed(0)],
      ],
    ],
    ['Answers, as clients got them', counted(attempts.map(kindOf))],
    ['Faults injected', counted(injected.map(({ kind }) => kind))],
    ['What the servers said', [...events].sort(([one], [other]) => one.localeCompare(other))],
    [
      'What the database says',
      [
        ['effects', found.evidence.ledger.length],
        ...counted(found.evidence.records.map(({ status }) => `records ${status}`)),
      ],
    ],
    ['Violations', run.findings.length === 0 ? [['none', 0]] : counted(run.findings.map(({ rule }) => rule))],
  ];
  return sections.map(([title, rows]) => [title, ...rows.map(line)].join('\n')).join('\n\n');
}

export function line([name, count]: Row): string {
  return `  ${name.padEnd(58)}${String(count).padStart(9)}`;
}

export function counted(kinds: readonly string[]): Row[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one.localeCompare(other));
}

function kindOf({ answer, meaning, isMadeUp, silence }: Attempt): string {
  if (isMadeUp) return `${answer?.status} made up by the network`;
  if (!meaning || !answer) return silence === undefined ? 'none: the client was killed' : `none: ${silence}`;
  switch (meaning.kind) {
    case 'completed':
    case 'failed':
      return `${answer.status} ${meaning.kind}, ${meaning.settlement}`;
    case 'refused':
      return `${answer.status} ${meaning.refusal}`;
    case 'released':
      return `${answer.status} released${meaning.byHandler ? ` by a ${meaning.byHandler} handler` : ''}`;
    case 'unknown':
      return `${answer.status} unknown`;
    case 'undocumented':
      return `${answer.status} undocumented`;
  }
}
