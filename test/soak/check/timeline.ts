import type { Injected } from '../chaos/lane.js';
import type { Case } from './case.js';
import { idOf } from './history.js';
import { recordId } from './records.js';

interface Moment {
  readonly at: number;
  readonly what: string;
}

/** Everything that is known of some operations, in order: what was sent, answered, written, and broken meanwhile. */
export function timeline(
  operations: readonly string[],
  { history, evidence }: Case,
  injected: readonly Injected[],
): string {
  const all = operations.flatMap((name) => history.operations.get(name) ?? []);
  const attempts = all.flatMap((operation) => operation.attempts);
  const ids = new Set(attempts.map(idOf));
  const moments: Moment[] = [
    ...attempts.flatMap(({ at, attempt, operation, role, via, key, path, principal }) => ({
      at,
      what: `${attempt} sent: ${role} ${path} of ${operation}, key ${key} of ${principal}, via ${via}`,
    })),
    ...attempts.flatMap(({ endedAt, attempt, answer, silence }) =>
      endedAt === undefined
        ? []
        : {
            at: endedAt,
            what: answer
              ? `${attempt} answered: ${answer.status} ${answer.headers.status ?? ''} ${answer.text}`
              : `${attempt} got no answer: ${silence}`,
          },
    ),
    ...all.flatMap(({ name, told }) =>
      told.map(({ at, outcome }) => ({ at, what: `${name} told: ${JSON.stringify(outcome)}` })),
    ),
    ...evidence.ledger
      .filter((row) => ids.has(idOf(row)) || operations.includes(row.reference))
      .map((row) => ({ at: row.at, what: `ledger ${JSON.stringify(row)}` })),
    ...evidence.records
      .filter((record) => ids.has(recordId(record)))
      .map((record) => ({ at: record.settledAt, what: `record ${JSON.stringify(record)}` })),
  ].sort((one, other) => one.at - other.at);
  const from = moments[0]?.at ?? 0;
  const to = moments.at(-1)?.at ?? 0;
  const faults = injected
    .filter((fault) => fault.to >= from - 2_000 && fault.from <= to)
    .map((fault) => ({
      at: fault.from,
      what: `-- ${fault.lane}: ${fault.kind}, for ${fault.to - fault.from} ms`,
    }));
  return [...moments, ...faults]
    .sort((one, other) => one.at - other.at)
    .map(({ at, what }) => `${(at - from).toFixed(0).padStart(8)} ms  ${what}`)
    .join('\n');
}
