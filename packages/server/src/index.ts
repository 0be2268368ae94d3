export type { Claim, ClaimReply, ClaimStore, SettledClaim } from './claims/claim-store.js';
export type { ScriptClient } from './claims/lua/script.js';
export { type MemoryClaimsOptions, memoryClaims } from './claims/memory-claims.js';
export { type RedisClaimsOptions, redisClaims } from './claims/redis-claims.js';
export type { NewsClient, Subscriber } from './claims/redis-news.js';
export type { EventCall, Miswiring, OnceEvent, OnEvent } from './events/once-event.js';
export { type FaultPoint, type Faults, faultPoints } from './execution/fault-points.js';
export type { WhenInProgress } from './execution/wait-for-outcome.js';
export { canonicalForm, NoCanonicalFormError } from './fingerprint/canonical-form.js';
export type { FingerprintSecret } from './fingerprint/fingerprint.js';
export type { OperationId } from './outcome/operation-id.js';
export type { Outcome } from './outcome/outcome.js';
export { createOnce, type Once } from './procedure/create-once.js';
export { DeclaredError, type ErrorFactories } from './procedure/errors/declared-error.js';
export type {
  Handler,
  HandlerOptions,
  Handlers,
  IdempotentHandlerOptions,
  PlainHandlerOptions,
} from './procedure/handlers.js';
export type { IdempotentContext, IdempotentMiddlewareOptions } from './procedure/idempotent.js';
export type { ImplementedRouter } from './procedure/implement.js';
export type { AnyBase, ContextOf, ImplementOptions } from './procedure/implement-options.js';
export type { Principal } from './procedure/once-middleware.js';
export type { OnceOptions } from './procedure/once-options.js';
export { finalByDefault } from './procedure/outcomes/final-by-default.js';
export type { OutcomeSeal, SealedOutcome } from './procedure/outcomes/outcome-seal.js';
export type { ReplayedHeaders } from './procedure/outcomes/replayed-headers.js';
export type { IdempotentPaths } from './procedure/own-run-timeout.js';
export { CommitUnknownError } from './records/commit-unknown-error.js';
export type { Database, Session } from './records/database.js';
export {
  type Execute,
  type ExecutorDatabaseOptions,
  executorDatabase,
} from './records/databases/executor-database.js';
export { type PgDatabaseOptions, type PgTransaction, pgDatabase } from './records/databases/pg-database.js';
export type {
  PGliteConnection,
  PGliteQueryOptions,
  PGliteResults,
  PGliteTransaction,
} from './records/databases/pglite.js';
export { pgliteDatabase } from './records/databases/pglite-database.js';
export { type RecordsOptions, recordsIn } from './records/postgres-records.js';
export { pgliteRecords, postgresRecords } from './records/ready-made.js';
export type {
  AbandonedRecord,
  Deleted,
  Probe,
  RecordDraft,
  RecordStatus,
  RecordStore,
  StoredRecord,
  Transacted,
} from './records/record-store.js';
export { RunTimeoutError } from './records/run-timeout-error.js';
export type { Row, Statement } from './records/statement.js';
export { TransactionMisuseError } from './records/transaction-misuse-error.js';
export type { Swept } from './sweeper/sweep.js';
export type { Sweeper, SweeperOptions } from './sweeper/sweeper.js';
