import { setTimeout as delay } from 'node:timers/promises';
import { createIdempotentClient, isOutcomeUnknown } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { declaredError, readIdempotency } from '@trpc-once/contract';
import { parent } from '../../resources/parent.js';
import { soakBank } from '../bank/soak-contract.js';
import type { ToldOutcome } from '../log/entry.js';
import { openLog, readLog } from '../log/log.js';
import { loggingFetch } from './logging-fetch.js';
import { type PlannedOperation, planSingle } from './operation-plan.js';
import { reporter } from './standing.js';

/**
 * An app with the client library and a file outbox. It is killed at any moment and started again over the same files:
 * what was under way it finds in its outbox, and what is not there, and was never sent, it begins anew.
 */

export interface ClientOrder {
  /** The principal, too. */
  readonly name: string;
  readonly seed: number;
  readonly url: string;
  readonly atOnce: number;
  readonly log: string;
  readonly outbox: string;
}

const { name, seed, url, atOnce, log: path, outbox } = JSON.parse(process.argv[2] as string) as ClientOrder;
const earlier = readLog(path);
const log = openLog(path);
const standing = reporter(parent);
const told = new Set<string>();
const waiting = new Map<string, () => void>();
let calm = false;
void parent.hear('calm', 86_400_000).then(() => {
  calm = true;
});

const client = createIdempotentClient({
  contract: soakBank,
  url,
  owner: () => name,
  storage: fileStorage(outbox),
  headers: { 'x-user': name },
  retry: { maxAttempts: 8, minDelayMs: 50, maxDelayMs: 1_000, attemptTimeoutMs: 3_000, waitMs: 20_000 },
  fetch: loggingFetch(log, name),
  onSettled: ({ intent = '', key }, outcome) =>
    note(intent, key, outcome.ok ? { kind: 'completed', data: outcome.data } : failure(outcome.error)),
});

const kept = new Map((await client.outbox.list()).map(({ intent = '', key }) => [intent, key]));
parent.tell('ready', { resumed: kept.size });
const resuming = resumeNowAndThen();
const asked = earlier.filter((entry) => entry.type === 'asked');
const wasTold = new Set(earlier.flatMap((entry) => (entry.type === 'told' ? entry.operation : [])));
const wasSent = new Set(earlier.flatMap((entry) => (entry.type === 'sent' ? entry.operation : [])));
const left = asked.map(({ operation }) => operation).filter(isUnfinished);
let next = asked.length;
await Promise.all(Array.from({ length: atOnce }, live));
await resuming;
await client.outbox.close();
standing.end();
log.close();
parent.tell('done');
process.disconnect();

/** What was sent and is in the outbox no more has an answer in the log: it was handed over before the end came. */
function isUnfinished(operation: string): boolean {
  return !wasTold.has(operation) && (kept.has(operation) || !wasSent.has(operation));
}

/** What an earlier life left comes first, or every life would leave more to the next. */
async function live(): Promise<void> {
  for (let one = left.shift(); one; one = left.shift())
    await finish(planSingle(seed, name, Number(one.split('-')[1])));
  while (!calm) {
    const operation = planSingle(seed, name, next++);
    const { operation: named, principal, fate, path: procedure, input } = operation;
    log.write({ type: 'asked', at: Date.now(), operation: named, principal, fate, path: procedure, input });
    await finish(operation);
  }
}

/** Sees one operation to its outcome, whether it is waited for or left to the outbox. */
async function finish(operation: PlannedOperation): Promise<void> {
  const { operation: named } = operation;
  standing.began();
  if (!told.has(named)) {
    const heard = new Promise<void>((resolve) => waiting.set(named, resolve));
    if (!kept.has(named)) void call(operation);
    await heard;
  }
  standing.ended();
}

async function call({ operation, input }: PlannedOperation): Promise<void> {
  const leave = new AbortController();
  const outcome = client.transfer.mutate(input, { intent: operation, signal: leave.signal });
  // Every other operation is left at once: then the outbox alone sees to it, and to its being heard of.
  if (Number(operation.split('-')[1]) % 2 === 1)
    outcome.key().then(
      () => leave.abort(),
      () => {},
    );
  try {
    const data = await outcome;
    note(operation, await outcome.key(), { kind: 'completed', data });
  } catch (error) {
    // It goes on in the outbox, and onSettled will hear of it.
    if (!isOutcomeUnknown(error)) note(operation, await outcome.key().catch(() => ''), failure(error));
  }
}

function note(operation: string, key: string, outcome: ToldOutcome): void {
  log.write({ type: 'told', at: Date.now(), operation, key, outcome });
  told.add(operation);
  waiting.get(operation)?.();
}

function failure(error: unknown): ToldOutcome {
  const settlement = readIdempotency(error)?.settlement;
  return settlement === 'settled' || settlement === 'replayed'
    ? {
        kind: 'failed',
        message: (error as Error).message,
        declared: declaredError(error, soakBank.transfer),
      }
    : { kind: 'ended', why: String(error) };
}

async function resumeNowAndThen(): Promise<void> {
  while (!calm || (await client.outbox.list()).length > 0) {
    await client.outbox.resume();
    await delay(300);
  }
}
