import { type Fault, faultNames, faults, type ProxyCounts } from '@trpc-once/faulty-network';
import type { Verdict } from './check/check-drill.js';
import type { Plan } from './plan.js';
import type { DrillRun } from './run-drill.js';
import type { AnswerTally } from './servers/answer-tally.js';

type Row = readonly [figure: string, value: number | string, note?: string];

/** Everything that was counted, and by whom. */
export function drillTable(plan: Plan, run: DrillRun, verdict: Verdict): string {
  const { network, tally, damage, evidence } = run;
  const { books, records } = evidence;
  const injected = network.requests - network.faults.pass;
  const sections: readonly (readonly [title: string, rows: readonly Row[]])[] = [
    [
      'What was done',
      [
        ['operations', plan.operations.length, `planned from seed ${plan.seed}, by ${plan.clients} clients`],
        ['attempts', network.requests, 'requests that reached the network'],
        ['faults injected', injected, faultNote(network)],
        ['servers killed -9', damage.serversKilled, 'and started again, while calls were inside'],
        [
          'clients killed -9',
          damage.clientsKilled,
          `${damage.resumed} operations resumed from the file outbox`,
        ],
        ['connections cut', damage.connectionsCut, 'besides those that the faults cut'],
        ['calls broken off', network.broken, 'inside a server when it was killed or cut off'],
        ['commits unanswered', damage.commitsUnanswered, 'committed, the acknowledgement withheld'],
        ['Redis away', damage.redisAway, 'times'],
      ],
    ],
    [
      'What the servers answered, those that were killed included',
      [
        ['settled', tally.of('settled'), 'by attempts that lived to answer with the outcome they wrote'],
        ['replays', tally.of('replayed'), 'outcomes given again, nothing ran'],
        ['409 in progress', tally.of('IN_PROGRESS'), 'another attempt of the operation was running'],
        ['503', unavailable(tally), 'nothing was kept, or it was not known yet: ask again'],
      ],
    ],
    [
      'What the database says',
      [
        ['outcomes recorded', records.length, `of ${plan.operations.length} operations`],
        ['declined', verdict.answers.declined, 'out of stock or not affordable, as they had to be'],
        ['orders', books.orders, `of ${verdict.ordersExpected} that there must be`],
        ['ledger rows', books.charges, 'one for each order'],
        ['lost', verdict.lost],
        ['doubled', verdict.doubled],
        ['balances, stock', verdict.booksBalance ? 'add up' : 'DO NOT ADD UP'],
        ['answers', verdict.answers.right, `of ${plan.operations.length} are what the database holds`],
      ],
    ],
  ];
  return sections.map(([title, rows]) => [title, ...rows.filter(isTold).map(line)].join('\n')).join('\n\n');
}

function unavailable(tally: AnswerTally): number {
  return tally.of('STORE_UNAVAILABLE') + tally.of('released') + tally.of('unknown');
}

/** What can only be zero here, because it cannot befall this stage, is left out. */
function isTold([figure, value]: Row): boolean {
  return value !== 0 || !['servers killed -9', 'commits unanswered', 'Redis away'].includes(figure);
}

function line([figure, value, note = '']: Row): string {
  return `  ${figure.padEnd(20)}${String(value).padStart(8)}   ${note}`.trimEnd();
}

/** How each fault is counted together with those that do the same to the client. */
const kinds: { readonly [kind: string]: (fault: Fault) => boolean } = {
  'requests lost': (fault) => faults[fault].reaches === 0 && faults[fault].client === 'nothing',
  'answers lost': (fault) => faults[fault].reaches > 0 && ['nothing', 'part'].includes(faults[fault].client),
  late: (fault) => faults[fault].client === 'late',
  duplicated: (fault) => faults[fault].reaches === 2,
  'answered by a gateway': (fault) => faults[fault].client === 'foreign',
};

function faultNote({ faults: counts }: ProxyCounts): string {
  return Object.entries(kinds)
    .map(([kind, isOne]) => {
      const count = faultNames.filter(isOne).reduce((sum, fault) => sum + counts[fault], 0);
      return `${count} ${kind}`;
    })
    .join(', ');
}
