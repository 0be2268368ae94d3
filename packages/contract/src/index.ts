export {
  type AnyContract,
  type Contract,
  type ContractTree,
  proceduresOf,
  type Transformer,
  transformerOf,
} from './contract/contract.js';
export { ContractError } from './contract/contract-error.js';
export { type ContractOptions, defineContract } from './contract/define-contract.js';
export { type Manifest, type ManifestProcedure, manifest } from './contract/manifest.js';
export type { IsTransformed, RecordOf, RouterOf, TrpcProcedureOf } from './contract/router-of.js';
export type {
  DeclaredDataIn,
  DeclaredDataOut,
  DeclaredErrorDefinition,
  DeclaredErrorOf,
  DeclaredErrors,
} from './errors/declared-errors.js';
export { declaredError, isDeclaredError } from './errors/read-declared-error.js';
export { nearestName, unknownOption } from './options/unknown-option.js';
export {
  type ContractProcedureBuilder,
  type ContractTypeError,
  type IdempotentProcedureBuilder,
  procedure,
} from './procedure/builder.js';
export type {
  AnyProcedure,
  ErrorsOf,
  InputOf,
  IsIdempotent,
  OutputOf,
  ParsedInputOf,
  Procedure,
  ProcedureKind,
  RawOutputOf,
  Schema,
} from './procedure/definition.js';
export {
  defaultIdempotentPolicy,
  type IdempotentOptions,
  type IdempotentPolicy,
  idempotentPolicy,
} from './procedure/policy.js';
export { type IdempotencyFacts, type Settlement, settlements } from './refusals/idempotency-facts.js';
export { readIdempotency, readRefusal } from './refusals/read-idempotency.js';
export { refusals } from './refusals/refusals.js';
export { isRefusal, type Refusal, sameKeyAgain } from './refusals/same-key-again.js';
export { defaultRetryPolicy, mergeRetryPolicy, type RetryPolicy } from './retry/retry-policy.js';
export type { OnceErrorData, OnceErrorShape } from './wire/error-shape.js';
export { wireHeaders } from './wire/headers.js';
export {
  formatIdempotencyKey,
  isIdempotencyKey,
  MAX_KEY_LENGTH,
  type ParsedKey,
  parseIdempotencyKey,
} from './wire/idempotency-key.js';
export { whyMalformedKey } from './wire/why-malformed-key.js';
