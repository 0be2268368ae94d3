/** One SQL statement. The name lets a driver prepare it once per connection, which halves what Postgres spends on it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** How long its answer may take, in milliseconds. @default the database's `answerTimeoutMs` */
  readonly limitMs?: number;
}

export type Row = Record<string, unknown>;
