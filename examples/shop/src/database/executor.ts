/** Runs SQL with `$1` parameters: pg's pools and clients, PGlite, and the `tx` of either. */
export interface Executor {
  query(sql: string, params?: unknown[]): Promise<{ rows: any[] }>;
}
