import { expect, test } from 'vitest';
import { check } from './check.js';
import {
  effect,
  error,
  goodStory,
  insufficientFunds,
  receipt,
  refusal,
  type Story,
  sent,
} from './good-story.js';
import { historyOf } from './history.js';
import { timeline } from './timeline.js';

function found({ entries, ledger, records, balances }: Story) {
  return { history: historyOf(entries), evidence: { ledger, records, balances } };
}

function rulesBroken(spoil: (story: Story) => void): string[] {
  const story = goodStory();
  spoil(story);
  return [...new Set(check(found(story)).map(({ rule }) => rule))];
}

test('where everything went well nothing is found', () => {
  expect(rulesBroken(() => {})).toEqual([]);
});

const spoilt: readonly (readonly [what: string, rule: string, spoil: (story: Story) => void])[] = [
  [
    'a second effect of one key',
    'second effect',
    (story) => effect(story, { id: 9, operation: 'paid', key: 'k1', attempt: 'p2' }),
  ],
  [
    'a second effect of one operation under another key',
    'second effect',
    (story) => effect(story, { id: 9, operation: 'paid', key: 'other', attempt: 'p9' }),
  ],
  [
    'two answers of one key that differ',
    'two outcomes',
    (story) => sent(story, 'paid', 'p9', receipt(9, 'paid', 'replayed')),
  ],
  [
    'a success and a failure of one key',
    'two outcomes',
    (story) => sent(story, 'paid', 'p9', insufficientFunds('replayed')),
  ],
  [
    'two attempts that say they settled one key',
    'settled twice',
    (story) => {
      sent(story, 'poor', 'o8', insufficientFunds('settled'), { key: 'k2' });
    },
  ],
  [
    'an acknowledged operation that the database does not know',
    'acknowledged and lost',
    (story) => {
      story.records = story.records.filter(({ key }) => key !== 'k1');
      story.ledger = story.ledger.filter(({ key }) => key !== 'k1');
    },
  ],
  [
    'an acknowledged effect that is not in the ledger',
    'acknowledged and lost',
    (story) => {
      story.ledger = story.ledger.filter(({ key }) => key !== 'k1');
    },
  ],
  [
    'an answer that is not what was recorded',
    'not what was recorded',
    (story) => {
      story.records = story.records.map((row) => (row.key === 'k1' ? { ...row, body: '{}' } : row));
    },
  ],
  [
    'an error with another code than was recorded',
    'not what was recorded',
    (story) => {
      story.records = story.records.map((row) => (row.key === 'k6' ? { ...row, code: 'CONFLICT' } : row));
    },
  ],
  [
    "another operation's outcome",
    "another's outcome",
    (story) => sent(story, 'rival', 'r9', receipt(2, 'winner', 'replayed'), { key: 'k4' }),
  ],
  [
    'a client that tells something other than it was answered',
    'the client told something else',
    (story) => {
      const outcome = { kind: 'completed', data: { id: 4 } } as const;
      story.entries.push({ type: 'told', at: 4, operation: 'app', key: 'k5', outcome });
    },
  ],
  [
    'an attempt that was told "released" and took effect',
    'guessed',
    (story) => {
      const answer = error(503, 'not now', { settlement: 'released', retryAfterMs: 1_000 });
      story.entries = story.entries.map((entry) =>
        entry.type === 'silence' && entry.attempt === 'p1'
          ? { type: 'answer', at: entry.at, attempt: 'p1', answer }
          : entry,
      );
    },
  ],
  [
    'an attempt that says it settled what another one did',
    'guessed',
    (story) => sent(story, 'paid', 'p9', receipt(1, 'paid', 'settled')),
  ],
  [
    'an effect without a record',
    'record and effect disagree',
    (story) => {
      story.records = story.records.filter(({ key }) => key !== 'k1');
    },
  ],
  [
    'a failed record with an effect',
    'record and effect disagree',
    (story) => {
      story.records = story.records.map((row) => (row.key === 'k1' ? { ...row, status: 'FAILED' } : row));
    },
  ],
  [
    'a record that was left in progress',
    'record and effect disagree',
    (story) => {
      story.records = story.records.map((row) =>
        row.key === 'k2' ? { ...row, status: 'IN_PROGRESS' } : row,
      );
    },
  ],
  [
    'a record that nobody asked for',
    'record and effect disagree',
    (story) => {
      story.records.push({ ...story.records[0]!, key: 'nobody' });
    },
  ],
  [
    'an answer with a status that is not documented',
    'undocumented answer',
    (story) => sent(story, 'paid', 'p9', error(500, 'Connection terminated', { settlement: 'released' })),
  ],
  [
    'an answer that is no JSON, where no network made it up',
    'undocumented answer',
    (story) => {
      const headers = { status: null, replayed: null, retryAfter: null };
      sent(story, 'paid', 'p9', { status: 502, headers, text: '<h1>502</h1>' });
    },
  ],
  [
    'a 409 that does not say when to come back',
    'undocumented answer',
    (story) => sent(story, 'paid', 'p9', error(409, 'wait', { refusal: 'IN_PROGRESS' })),
  ],
  [
    'a replay that does not say that it is one',
    'undocumented answer',
    (story) => {
      const replay = receipt(1, 'paid', 'replayed');
      sent(story, 'paid', 'p9', { ...replay, headers: { ...replay.headers, replayed: null } });
    },
  ],
  [
    'a client that is told its own key belongs to somebody else',
    'undocumented answer',
    (story) => sent(story, 'paid', 'p9', refusal('FINGERPRINT_MISMATCH', 422)),
  ],
  [
    'an impostor who is given the outcome',
    'undocumented answer',
    (story) => sent(story, 'paid', 'p9', receipt(1, 'paid', 'replayed'), { role: 'impostor' }),
  ],
  [
    'a key that is none and is taken',
    'undocumented answer',
    (story) =>
      sent(story, 'doomed', 'p9', error(500, 'doomed', { settlement: 'released' }), {
        role: 'probe',
        key: '',
      }),
  ],
  [
    'an attempt that was answered too late',
    'no answer in time',
    (story) => sent(story, 'paid', 'p9', receipt(1, 'paid', 'replayed'), { tookMs: 45_000 }),
  ],
  [
    'an operation that nobody was told about',
    'no end',
    (story) => {
      story.entries = story.entries.filter((entry) => entry.type !== 'answer' || entry.attempt !== 'p3');
    },
  ],
  [
    'an operation that was never sent',
    'no end',
    (story) => {
      story.entries = story.entries.filter((entry) => entry.type !== 'sent' || entry.operation !== 'doomed');
    },
  ],
  [
    'an operation that never settled, and took effect',
    'no end',
    (story) => effect(story, { id: 9, operation: 'doomed', key: 'k3', attempt: 'd9' }),
  ],
  [
    'a client that gave an operation up',
    'no end',
    (story) => {
      const outcome = { kind: 'ended', why: 'expired' } as const;
      story.entries.push({ type: 'told', at: 4, operation: 'app', key: 'k5', outcome });
    },
  ],
  [
    'money that is nowhere',
    'books do not balance',
    (story) => {
      story.balances.set('account-3', 0);
    },
  ],
];

for (const [what, rule, spoil] of spoilt)
  test(`found: ${what}`, () => {
    expect(rulesBroken(spoil)).toContain(rule);
  });

test('a timeline tells what was sent, answered, written and broken, in the order in which it happened', () => {
  const injected = [{ kind: 'server killed -9', lane: 'server 0', from: 3, to: 4 }];
  const told = timeline(['paid'], found(goodStory()), injected).split('\n');
  expect(told[0]).toContain('p1 sent: honest transfer of paid, key k1 of ann, via door 0');
  expect(told.some((line) => line.includes('-- server 0: server killed -9, for 1 ms'))).toBe(true);
  expect(told.some((line) => line.includes('p1 got no answer: ECONNRESET'))).toBe(true);
  expect(told.some((line) => line.includes('ledger {"id":1'))).toBe(true);
  expect(told.some((line) => line.includes('record {"scope"'))).toBe(true);
  expect(told.filter((line) => line.includes('o1'))).toEqual([]);
});
