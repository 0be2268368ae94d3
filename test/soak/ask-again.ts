import { join } from 'node:path';
import { historyOf, type Operation } from './check/history.js';
import { exchange } from './load/exchange.js';
import type { Entry } from './log/entry.js';
import { openLog, readLog } from './log/log.js';
import { isOutcome, meaningOf } from './log/meaning.js';
import type { Findings } from './report/findings.js';

/** More would only take longer: what every key has in common shows in so many. */
const MOST = 150;

/** Keys asked for at the same time. */
const AT_ONCE = 10;

export interface AskAgainOptions {
  /** All that was logged so far. */
  readonly entries: readonly Entry[];
  readonly doors: readonly string[];
  readonly directory: string;
  readonly findings: Findings;
}

/**
 * Once all is calm, asks every server again about operations that have settled. Nothing runs any more, so each of them
 * must give the outcome at once; whether it is the same one is for the checker to say.
 * @returns what it logged
 */
export async function askAgain({ entries, doors, directory, findings }: AskAgainOptions): Promise<Entry[]> {
  const path = join(directory, 'again.log');
  const log = openLog(path);
  const settled = [...historyOf(entries).operations.values()].flatMap(settledOne);
  const every = Math.max(1, Math.ceil(settled.length / MOST));
  const left = settled.filter((_, n) => n % every === 0);
  let attempts = 0;
  const askInTurn = async (): Promise<void> => {
    for (let one = left.pop(); one; one = left.pop())
      for (const door of doors.keys()) {
        const attempt = `again.${++attempts}`;
        const answer = await exchange(
          { log, doors },
          { attempt, role: 'honest', path: 'transfer', door, ...one },
        );
        if (!answer || !isOutcome(meaningOf(answer)))
          findings.add(
            'no replay',
            `asked again for ${one.operation} in the calm: ${JSON.stringify(answer)}`,
          );
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
  log.close();
  return readLog(path);
}

function settledOne({ name, principal, input, attempts }: Operation) {
  const told = attempts.find(({ role, meaning }) => role === 'honest' && meaning && isOutcome(meaning));
  return told ? [{ operation: name, principal, input, key: told.key }] : [];
}
