import { type LocalPgBouncer, type PgBouncerOptions, startPgBouncer } from '@trpc-once/local-services';
import { inject } from 'vitest';
import { type BankOver, type BankOverOptions, bankOver } from './bank-over.js';

export interface Behind extends BankOver {
  readonly pgbouncer: LocalPgBouncer;
  /** The bank's database through PgBouncer. */
  readonly through: string;
}

export type BehindOptions = Omit<BankOverOptions, 'pool'> & {
  readonly settings?: PgBouncerOptions['settings'];
  readonly pipeline?: boolean;
  /** Of each instance's pool. @default 20 */
  readonly max?: number;
};

/** A bank whose instances reach Postgres through PgBouncer in transaction mode. */
export async function behindPgBouncer(options: BehindOptions): Promise<Behind> {
  const { settings, pipeline = true, max = 20, ...rest } = options;
  const pgbouncer = await startPgBouncer({ upstream: inject('postgresUrl'), ...(settings && { settings }) });
  try {
    const through = ({ name }: { readonly name: string }): string =>
      Object.assign(new URL(pgbouncer.url), { pathname: `/${name}` }).href;
    const bank = await bankOver({
      ...rest,
      pool: (database) => ({ connectionString: through(database), pipeline, max }),
    });
    return {
      ...bank,
      pgbouncer,
      through: through(bank.database),
      async [Symbol.asyncDispose]() {
        // First: its connections to the database would be taken for leaked ones.
        await pgbouncer[Symbol.asyncDispose]();
        await bank[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await pgbouncer[Symbol.asyncDispose]();
    throw error;
  }
}
