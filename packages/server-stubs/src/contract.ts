/**
 * Errors, limits, constants and rules of the contract, for `@berth/storage`, `@berth/mock` and `@berth/server`.
 * Nothing here needs a Node.js module, so that mocks work in a page. Unstable: it may change in any version.
 */
export * from './cors.ts';
export {
  type ContractErrorOptions,
  GatewayError,
  type GatewayErrorCode,
  StorageError,
  type StorageItemCode,
  toContractError,
  UploadError,
} from './errors.ts';
export {
  applyDispositionRules,
  isWithheld,
  nominatedBy,
  toCanonicalName,
  toServiceHeaders,
} from './forwarding.ts';
export { countHosts, type EnvOption, isLoopback } from './gateway/host.ts';
export { toCallerResponse } from './gateway/service-response.ts';
export * from './generated/contract.gen.ts';
export * from './generated/errors.gen.ts';
export { routes as gatewayRoutes } from './generated/gateway.v1/routes.gen.ts';
export { routes as storageRoutes } from './generated/storage.v2/routes.gen.ts';
export { readJsonBody } from './runtime/portable/body.ts';
export { decodeText } from './runtime/portable/encoding.ts';
export { MERGED_HEADERS, memoize } from './runtime/portable/headers.ts';
export {
  badPath,
  bodyTooLarge,
  HttpError,
  hasResponse,
  notAllowed,
  notFound,
  toResponse,
} from './runtime/portable/http-error.ts';
export { splitTarget } from './runtime/portable/paths.ts';
export * from './runtime/portable/server-event.ts';
export type { StorageOperationId } from './storage/router.ts';
export { assertBatch, readCredentials, toStorageResponse, toWireForm } from './storage/wire.ts';
export * from './upload/form.ts';
