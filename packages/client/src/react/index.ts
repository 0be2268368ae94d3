export {
  type IdempotentMutationOptions,
  idempotentMutation,
  type MutationOptions,
} from './idempotent-mutation.js';
export type {
  OpenOperation,
  OperationOutcome,
  OperationProgress,
  OperationView,
  WhyOpen,
} from './operation-view.js';
export {
  type OperationActions,
  type UseOperation,
  type UseOperationOptions,
  useOperation,
} from './use-operation.js';
export { useOutbox } from './use-outbox.js';
