import { accounts, openingBalance, pauper } from '../bank/soak-tables.js';
import type { Entry, Fate, RawAnswer, Role, Via } from '../log/entry.js';
import type { LedgerRow, RecordRow } from './evidence.js';

/** A log and a database in which everything went well, for tests to spoil. */
export interface Story {
  entries: Entry[];
  ledger: LedgerRow[];
  records: RecordRow[];
  balances: Map<string, number>;
}

/** Operations with a lost answer, a wait, a replay, an impostor, a contest, a gateway's page and a client's word. */
export function goodStory(): Story {
  const story: Story = {
    entries: [],
    ledger: [],
    records: [],
    balances: new Map([...accounts, pauper].map((account) => [account, openingBalance(account)])),
  };
  asked(story, 'paid', 'effect');
  sent(story, 'paid', 'p1', undefined);
  effect(story, { id: 1, operation: 'paid', key: 'k1', attempt: 'p1' });
  sent(story, 'paid', 'p2', refusal('IN_PROGRESS', 409));
  sent(story, 'paid', 'p3', receipt(1, 'paid', 'replayed'));
  sent(story, 'paid', 'p4', refusal('FINGERPRINT_MISMATCH', 422), { role: 'impostor' });
  sent(story, 'paid', 'p5', refusal('KEY_MALFORMED', 400), { role: 'probe', key: '' });

  asked(story, 'poor', 'declared');
  sent(story, 'poor', 'o1', insufficientFunds('settled'), { key: 'k2' });
  record(story, 'k2', 'FAILED', failure, 'CONFLICT');

  asked(story, 'declined', 'declined');
  const declined = error(400, 'declined by run 1', { settlement: 'settled' });
  sent(story, 'declined', 'c1', { ...declined, headers: headersOf('settled') }, { key: 'k6' });
  record(story, 'k6', 'FAILED', { message: 'declined by run 1' }, 'BAD_REQUEST');

  asked(story, 'doomed', 'doomed');
  sent(story, 'doomed', 'd1', error(500, 'doomed', { settlement: 'released' }), { key: 'k3' });

  asked(story, 'winner', 'contested');
  asked(story, 'rival', 'contested');
  sent(story, 'winner', 'w1', receipt(2, 'winner', 'settled'), { key: 'k4' });
  sent(story, 'rival', 'r1', refusal('FINGERPRINT_MISMATCH', 422), { key: 'k4' });
  effect(story, { id: 2, operation: 'winner', key: 'k4', attempt: 'w1' });

  asked(story, 'app', 'effect');
  const gateway = { status: 502, headers: none, text: '<h1>502</h1><p>faulty-network</p>\n' };
  sent(story, 'app', 'a1', gateway, { key: 'k5', via: 'network' });
  sent(story, 'app', 'a2', receipt(3, 'app', 'replayed'), { key: 'k5', via: 'network' });
  effect(story, { id: 3, operation: 'app', key: 'k5', attempt: 'a1' });
  const outcome = { kind: 'completed', data: receiptOf(3, 'app') } as const;
  story.entries.push({ type: 'told', at: 3, operation: 'app', key: 'k5', outcome });
  return story;
}

const none = { status: null, replayed: null, retryAfter: null };
const failure = {
  message: 'INSUFFICIENT_FUNDS',
  declared: { name: 'INSUFFICIENT_FUNDS', data: { balanceCents: 1, run: 'run' } },
};

function asked({ entries }: Story, operation: string, fate: Fate): void {
  const input = { reference: operation, from: 'account-1', cents: 5 };
  entries.push({ type: 'asked', at: 1, operation, principal: 'ann', fate, path: 'transfer', input });
}

interface Sending {
  readonly key?: string;
  readonly role?: Role;
  readonly via?: Via;
  readonly tookMs?: number;
}

export function sent(
  { entries }: Story,
  operation: string,
  attempt: string,
  answer: RawAnswer | undefined,
  { key = 'k1', role = 'honest', via = 'door 0', tookMs = 5 }: Sending = {},
): void {
  const about = { attempt, operation, role, key, via } as const;
  entries.push({ type: 'sent', at: 2, principal: 'ann', path: 'transfer', ...about });
  entries.push(
    answer
      ? { type: 'answer', at: 2 + tookMs, attempt, answer }
      : { type: 'silence', at: 2 + tookMs, attempt, why: 'ECONNRESET' },
  );
}

export function effect(
  story: Story,
  { id, operation, key, attempt }: { id: number; operation: string; key: string; attempt: string },
): void {
  const [sender = '', recipient = ''] = accounts;
  const about = { id, principal: 'ann', key, reference: operation, attempt, procedure: 'transfer' };
  story.ledger.push({ ...about, sender, recipient, cents: 5, at: 2 });
  story.balances.set(sender, (story.balances.get(sender) ?? 0) - 5);
  story.balances.set(recipient, (story.balances.get(recipient) ?? 0) + 5);
  record(story, key, 'COMPLETED', receiptOf(id, operation));
}

function record(
  { records }: Story,
  key: string,
  status: string,
  body: object,
  code: string | null = null,
): void {
  const about = { scope: '["ann"]', key, procedure: 'transfer', status, code };
  records.push({ ...about, body: JSON.stringify(body), settledAt: 2 });
}

export function receiptOf(id: number, reference: string) {
  return { id, reference, balanceCents: 7, run: `run of ${reference}`, padding: '' };
}

export function receipt(id: number, reference: string, settlement: 'settled' | 'replayed'): RawAnswer {
  return {
    status: 200,
    headers: headersOf(settlement),
    text: JSON.stringify({ result: { data: receiptOf(id, reference) } }),
  };
}

export function refusal(refused: string, status: number): RawAnswer {
  return error(status, 'refused', { refusal: refused, retryAfterMs: 200 });
}

export function insufficientFunds(settlement: 'settled' | 'replayed'): RawAnswer {
  const answer = error(409, failure.message, { settlement }, failure.declared);
  return { ...answer, headers: headersOf(settlement) };
}

export function error(status: number, message: string, idempotency: object, declared?: object): RawAnswer {
  const data = { code: codes[status], httpStatus: status, path: 'transfer', idempotency, declared };
  const comesBack = 'retryAfterMs' in idempotency;
  return {
    status,
    headers: { ...none, retryAfter: comesBack ? '1' : null },
    text: JSON.stringify({ error: { message, code: -32000, data } }),
  };
}

const codes: Readonly<Record<number, string>> = { 400: 'BAD_REQUEST', 409: 'CONFLICT' };

function headersOf(settlement: 'settled' | 'replayed') {
  return { status: settlement, replayed: settlement === 'replayed' ? 'true' : null, retryAfter: null };
}
