import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pick, type Random } from '../draw.js';
import type { RawAnswer } from '../log/entry.js';
import { isOutcome, type Meaning, meaningOf } from '../log/meaning.js';
import { type Attempt, type Exchanges, exchange } from './exchange.js';
import type { FollowUp, PlannedOperation } from './operation-plan.js';

export interface Sender extends Exchanges {
  readonly random: Random;
  /** A fresh name for each request. */
  readonly nextAttempt: () => string;
  /** Sabotage: a client that does not know what a key is for. */
  readonly newKeys: boolean;
}

/** How often a sender is told of a bug before he gives up for good. */
const PATIENCE_WITH_BUGS = 3;

/** Asks with one key until the operation has come to its end. Some attempts are sent twice, some are hung up on. */
export async function askUntilOutcome(
  sender: Sender,
  operation: PlannedOperation,
  key: string,
): Promise<Meaning> {
  const { random } = sender;
  let released = 0;
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    const copies = random() < 0.15 ? 2 : 1;
    const answers = await Promise.all(
      Array.from({ length: copies }, () =>
        send(sender, operation, {
          key: sender.newKeys ? randomUUID() : key,
          patienceMs: random() < 0.12 ? Math.ceil(random() * 400) : undefined,
        }),
      ),
    );
    for (const answer of answers) {
      const meaning = answer && meaningOf(answer);
      if (!meaning) continue;
      if (meaning.kind === 'released' && meaning.byHandler === 'doomed') released++;
      if (isEnd(meaning) || released >= PATIENCE_WITH_BUGS) return meaning;
    }
    const retryAfterMs = Math.max(0, ...answers.map((answer) => 1_000 * Number(answer?.headers.retryAfter)));
    // Not everybody waits for as long as the server asks.
    await delay(Math.max(waitMs, retryAfterMs) * (0.3 + random()));
  }
}

/** Asks once more about an operation that has settled, in its own words or as somebody who took its key for his own. */
export async function followUp(
  sender: Sender,
  operation: PlannedOperation,
  key: string,
  how: FollowUp,
): Promise<void> {
  await delay(sender.random() * 800);
  const { input } = operation;
  switch (how) {
    case 'ask-again':
      return void (await send(sender, operation, { key }));
    case 'another-input':
      return void (await send(sender, operation, {
        key,
        role: 'impostor',
        input: { ...input, cents: input.cents + 1 },
      }));
    case 'another-procedure':
      return void (await send(sender, operation, { key, role: 'impostor', path: 'reverse' }));
  }
}

/** A call that no server may take. */
export async function probe(sender: Sender, operation: PlannedOperation): Promise<void> {
  await send(sender, operation, { key: pick(badKeys, sender.random), role: 'probe' });
}

const badKeys = ['', 'one, two', '"open', 'cl\u00e9', 'k'.repeat(256)];

function send(
  sender: Sender,
  { operation, principal, path, input }: PlannedOperation,
  more: Partial<Attempt> & Pick<Attempt, 'key'>,
): Promise<RawAnswer | undefined> {
  const { doors, random, nextAttempt } = sender;
  return exchange(sender, {
    attempt: nextAttempt(),
    ...{ operation, principal, path, input },
    role: 'honest',
    door: Math.floor(random() * doors.length),
    ...more,
  });
}

/** An outcome, or an answer after which no client may send the same again. */
function isEnd(meaning: Meaning): boolean {
  return (
    isOutcome(meaning) ||
    meaning.kind === 'undocumented' ||
    (meaning.kind === 'refused' && !['IN_PROGRESS', 'STORE_UNAVAILABLE'].includes(meaning.refusal))
  );
}
