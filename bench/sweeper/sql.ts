/** Runs SQL with `$1` parameters: pg's pools and clients. */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}
