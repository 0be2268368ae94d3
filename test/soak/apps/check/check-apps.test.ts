import { expect, test } from 'vitest';
import { historyOf } from '../../check/history.js';
import { appCaseOf } from './app-case.js';
import { AppStory } from './app-story.js';
import { checkApps } from './check-apps.js';

const evidence = { ledger: [], records: [], balances: new Map() };

/** What the fleet's own rules find; the database's are tested with the soak's. */
const rules = [
  'second effect',
  'second key',
  "another's credentials",
  'lost',
  'told before it was noted',
  'sent all the same',
  'no conflict',
  'not expired',
  'not an outcome',
  'seen by the app',
  'out of line',
  'let through',
];

function broken(tell: (story: AppStory) => unknown, ledger: readonly { id: number; key: string }[] = []) {
  const story = new AppStory();
  tell(story);
  const rows = ledger.map(({ id, key }) => ({
    ...{ id, key, principal: 'ann', reference: key.slice(4), attempt: 'a', procedure: 'transfer' },
    ...{ sender: 'account-0', recipient: 'account-1', cents: 5, at: 1 },
  }));
  const found = appCaseOf(
    { history: historyOf(story.entries), evidence: { ...evidence, ledger: rows } },
    story.entries,
  );
  const all = checkApps(found).map(({ rule }) => rule);
  return [...new Set(all.filter((rule) => rules.includes(rule)))];
}

const intent = 'i';
const lane = 'l';
const halt = { lane, onFailure: 'halt' } as const;

const fine: readonly (readonly [what: string, tell: (story: AppStory) => unknown])[] = [
  ['from call to note', (story) => story.whole('a', { intent }).told('a', 'caller')],
  ['killed before anything was kept', (story) => story.asked('a')],
  [
    'an intent that is called again after its outcome was noted',
    (story) =>
      story
        .whole('a', { intent })
        .asked('a', { intent })
        .kept('a', 'k2')
        .sent('a', 'k2')
        .told('a', 'onSettled', 'k2'),
  ],
  [
    'one that was dropped',
    (story) => {
      story.asked('a').kept('a');
      story.entries.push({ type: 'dropping', at: story.now, principal: 'ann' });
    },
  ],
  [
    'an outcome that onSettled refused first',
    (story) => {
      story.asked('a').kept('a').sent('a');
      story.entries.push({ type: 'refused', at: story.now, operation: 'a', key: 'key-a' });
      story.told('a', 'caller').told('a', 'onSettled');
    },
  ],
  [
    'behind a failure, and sent when somebody went on',
    (story) => {
      story
        .asked('poor', halt)
        .asked('b', halt)
        .kept('poor')
        .kept('b')
        .sent('poor')
        .told('poor', 'onSettled');
      story.entries.push({ type: 'going on', at: story.now, principal: 'ann', lane });
      story.sent('b').told('b', 'onSettled');
    },
  ],
];

test.each(fine)('nothing is found in %s', (_, tell) => {
  expect(broken(tell)).toEqual([]);
});

const spoilt: readonly (readonly [
  rule: string,
  tell: (story: AppStory) => unknown,
  ledger?: { id: number; key: string }[],
])[] = [
  [
    'second effect',
    (story) => story.whole('a'),
    [
      { id: 1, key: 'key-a' },
      { id: 2, key: 'key-a' },
    ],
  ],
  [
    'second key',
    (story) =>
      story
        .asked('a', { intent })
        .kept('a')
        .asked('a', { intent })
        .kept('a', 'k2')
        .sent('a')
        .sent('a', 'k2')
        .told('a', 'onSettled')
        .told('a', 'onSettled', 'k2'),
  ],
  ['second key', (story) => story.whole('a').sent('a', 'k2').told('a', 'onSettled', 'k2')],
  ["another's credentials", (story) => story.whole('a').sent('a', 'key-a', 'bob')],
  ['lost', (story) => story.asked('a').kept('a')],
  ['lost', (story) => story.asked('a').kept('a').sent('a')],
  [
    'told before it was noted',
    (story) => story.asked('a').kept('a').sent('a').told('a', 'caller').told('a', 'onSettled'),
  ],
  ['sent all the same', (story) => story.whole('a').ended('a', 'NotSentError')],
  ['no conflict', (story) => story.whole('a').ended('a', 'IntentConflictError')],
  ['not expired', (story) => story.whole('a').ended('a', 'OperationExpiredError')],
  [
    'not an outcome',
    (story) => {
      story.whole('a');
      const outcome = { kind: 'ended', why: 'fetch failed' } as const;
      story.entries.push({
        type: 'told',
        at: story.now,
        operation: 'a',
        key: 'key-a',
        outcome,
        to: 'caller',
      });
    },
  ],
  [
    'seen by the app',
    (story) => story.entries.push({ type: 'wrong', at: story.now, operation: 'a', what: 'listed' }),
  ],
  [
    'out of line',
    (story) => story.whole('a', halt).whole('b', halt),
    [
      { id: 2, key: 'key-a' },
      { id: 1, key: 'key-b' },
    ],
  ],
  [
    'let through',
    (story) =>
      story
        .asked('poor', halt)
        .asked('b', halt)
        .kept('poor')
        .kept('b')
        .sent('poor')
        .told('poor', 'onSettled')
        .sent('b')
        .told('b', 'onSettled'),
  ],
];

for (const [rule, tell, ledger] of spoilt)
  test(`found: ${rule}`, () => {
    expect(broken(tell, ledger)).toEqual([rule]);
  });
