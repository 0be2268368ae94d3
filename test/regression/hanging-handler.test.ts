import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, send } from '../bank/index.js';
import { said } from '../faults/answer.js';
import { signal } from '../invariants/signal.js';

// A handler that waited for ever kept its lease by renewing it, and so its key, long after Postgres had ended the session
// that sat idle: every other attempt was told 409 until the process was started anew.
for (const claims of ['redis', 'none'] as const)
  test(`a handler that hangs keeps its key no longer than Postgres keeps its transaction (claims: ${claims})`, async () => {
    const inside = signal();
    const goOn = signal();
    let hangs = true;
    await using bank = await openBank({
      claims,
      answerTimeoutMs: 1_000,
      hooks: {
        async after() {
          if (!hangs) return;
          hangs = false;
          inside.give();
          await goOn.given;
        },
      },
    });
    const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    await inside.given;
    // As idle_in_transaction_session_timeout does after a minute.
    await bank.db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    expect(said(await first)).toBe('released');
    const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(said(second)).toBe('settled');
    goOn.give();
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(second.text);
    expect(await effects(bank.db)).toBe(1);
  });
