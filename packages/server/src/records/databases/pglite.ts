/**
 * PGlite as far as it is used here, in types of our own: with PGlite's, an app that has none installed, and lets the compiler
 * check its libraries, would not compile.
 */
export interface PGliteConnection {
  query<TRow>(query: string, params?: any[], options?: PGliteQueryOptions): Promise<PGliteResults<TRow>>;
  transaction<T>(work: (tx: PGliteTransaction) => Promise<T>): Promise<T>;
}

/** What handlers get as `tx` with PGlite: its own `query`. */
export interface PGliteTransaction {
  query<TRow>(query: string, params?: any[], options?: PGliteQueryOptions): Promise<PGliteResults<TRow>>;
}

/** PGlite's options of a query. */
export interface PGliteQueryOptions {
  rowMode?: 'array' | 'object';
  parsers?: { [typeId: number]: (value: string, typeId?: number) => any };
  serializers?: { [typeId: number]: (value: any) => string };
  blob?: Blob | File;
  onNotice?: (notice: any) => void;
  paramTypes?: number[];
}

/** What PGlite makes of a query. */
export interface PGliteResults<TRow> {
  rows: TRow[];
  affectedRows?: number;
  fields: { name: string; dataTypeID: number }[];
  blob?: Blob;
}
