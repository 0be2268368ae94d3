import type { Pool } from 'pg';
import { effects } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { until } from '../resources/index.js';
import { type AttemptServer, type Ending, openAttemptServer, type Stores } from './attempt-server.js';
import { befall, type Mishap, mishaps } from './mishap.js';
import type { Trace } from './notes.js';
import { Recorder, type Standing } from './recorder.js';
import type { Trouble } from './step.js';

/** What to do next, when everybody stands somewhere: something befalls an attempt, then one or all go on. */
export interface Turn {
  readonly mishap?: Mishap | undefined;
  readonly whom: number;
  /** Who goes on: one of those who stand, who went on last, or everybody at once, to race. */
  readonly next: number | 'the same' | 'everybody';
}

export interface Plan {
  /** One attempt each. */
  readonly endings: readonly Ending[];
  readonly turns: readonly Turn[];
}

export interface Run {
  readonly trace: Trace;
  readonly troubles: ReadonlySet<Trouble>;
  /** Rows that handlers wrote. */
  readonly effects: number;
  readonly status: 'COMPLETED' | 'FAILED' | undefined;
}

export interface Ground extends Stores {
  readonly db: Pool;
  flush(): Promise<void>;
}

/** Lets attempts at one key meet as planned, on real stores; when the plan is over everybody goes on. */
export async function runAttempts(key: string, { endings, turns }: Plan, ground: Ground): Promise<Run> {
  const recorder = new Recorder();
  const { troubles } = recorder;
  await using stack = new Disposal();
  const servers: AttemptServer[] = [];
  for (const [number, ending] of endings.entries())
    servers.push(stack.use(await openAttemptServer({ number, ending }, ground, recorder)));
  const attempts = Promise.all(servers.map((server) => server.attempt(key)));
  // Looked at in the end; something else may fail first.
  attempts.catch(() => {});
  stack.defer(() => recorder.close());
  const quiet = () => until(() => recorder.isQuiet(), { everyMs: 1, what: 'everybody stands somewhere' });

  let last = 0;
  for (const { mishap, whom, next } of turns) {
    await quiet();
    const attempt = whom % endings.length;
    if (mishap) {
      const server = servers[attempt] as AttemptServer;
      await befall(mishap, { attempt, server, recorder, flush: ground.flush });
      troubles.add(mishaps[mishap]);
      if (mishap === 'it is killed') troubles.add('postgres out of reach');
    }
    for (const standing of chosen(recorder.living(), next, last)) {
      standing.go();
      last = standing.attempt;
    }
  }
  for (await quiet(); recorder.living().length > 0; await quiet())
    for (const standing of recorder.living()) standing.go();
  recorder.close();
  await attempts;

  const { rows } = await ground.db.query(
    'SELECT status, response_body FROM idempotency_records WHERE key = $1',
    [key],
  );
  const record = rows[0] ? ownerOf(rows[0].response_body) : null;
  return {
    trace: { notes: recorder.notes, record },
    troubles,
    effects: await effects(ground.db, key),
    status: rows[0]?.status,
  };
}

function chosen(living: readonly Standing[], next: Turn['next'], last: number): readonly Standing[] {
  if (next === 'everybody') return living;
  const at = next === 'the same' ? living.findIndex(({ attempt }) => attempt === last) : next % living.length;
  return living.slice(Math.max(0, at)).slice(0, 1);
}

/** Both outcomes say whose they are: the output, and the data of the declared error. */
function ownerOf(body: string): number {
  const told = JSON.parse(body);
  return typeof told === 'number' ? told : told.declared.data;
}
