export type { Clock } from './attempts/clock.js';
export type { ClientFetch, ClientHeaders } from './attempts/send-attempt.js';
export {
  type ClientOptions,
  type ContractOf,
  createIdempotentClient,
} from './client/create-idempotent-client.js';
export type { IdempotentMutateOptions, IdempotentMutation, WithKey } from './client/idempotent-call.js';
export type { IdempotentClient } from './client/idempotent-client.js';
export { IntentConflictError, isIntentConflict } from './errors/intent-conflict-error.js';
export { keyOf } from './errors/key-of.js';
export { isNotSent, NotSentError, type NotSentReason } from './errors/not-sent-error.js';
export { isOperationExpired, OperationExpiredError } from './errors/operation-expired-error.js';
export { isOperationParked, OperationParkedError, type ParkReason } from './errors/operation-parked-error.js';
export {
  isOutboxStorageError,
  OutboxStorageError,
  type StorageFailure,
} from './errors/outbox-storage-error.js';
export { isOutcomeUnknown, OutcomeUnknownError, type UnknownReason } from './errors/outcome-unknown-error.js';
export { type IdempotencyLink, idempotencyLink } from './link/idempotency-link.js';
export { idempotent } from './link/idempotent.js';
export type { IdempotencyContext, IdempotencyOptions, IdempotentCallOptions } from './link/options.js';
export { betweenProcesses } from './outbox/coordination/between-processes.js';
export { betweenTabs } from './outbox/coordination/between-tabs.js';
export { coordinatedBy } from './outbox/coordination/coordinated-by.js';
export type { Coordination } from './outbox/coordination/coordination.js';
export type { OnSettled } from './outbox/hand-over/on-settled.js';
export type { WaitOptions } from './outbox/hand-over/waiters.js';
export type { OutboxEvent } from './outbox/operation/events.js';
export type {
  AttemptEnd,
  AttemptNote,
  OnFailure,
  Operation,
  OperationState,
} from './outbox/operation/operation.js';
export type { Outcome } from './outbox/operation/outcome.js';
export { alone } from './outbox/others/alone.js';
export type { Coordinator } from './outbox/others/coordinator.js';
export type { Hold } from './outbox/others/hold.js';
export type { Outbox, ResumeReport } from './outbox/outbox.js';
export type { SignOutOptions, SignOutReport } from './outbox/sign-out.js';
export { type IndexedDbOptions, indexedDbStorage } from './outbox/storages/indexed-db.js';
export { type LocalStorageOptions, localStorageStorage } from './outbox/storages/local-storage.js';
export { memoryStorage } from './outbox/storages/memory.js';
export { type CodecOptions, type RecordCodec, withCodec } from './outbox/storages/with-codec.js';
export type { DamagedRecord } from './outbox/store/damaged-record.js';
export type { OutboxStorage, StoredEntry } from './outbox/store/storage.js';
export type { OnWake, Wake } from './outbox/waking/page-events.js';
