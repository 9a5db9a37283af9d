export { ContractError, type ContractErrorOptions } from './errors/contract-error.ts';
export { GatewayError, type GatewayErrorCode } from './errors/gateway-error.ts';
export type { OpenCode } from './errors/open-code.ts';
export {
  StorageError,
  type StorageErrorCode,
  type StorageItemCode,
} from './errors/storage-error.ts';
export {
  UploadError,
  type UploadErrorCode,
  type UploadErrorOptions,
} from './errors/upload-error.ts';
export { applyDispositionRules } from './gateway/apply-disposition-rules.ts';
export {
  createGatewayRouter,
  type GatewayRouter,
  type GatewayRouterOptions,
} from './gateway/create-gateway-router.ts';
export { dispositionRules } from './gateway/disposition-rules.ts';
export type {
  GatewayCall,
  GatewayHandler,
  GatewayHandlers,
  GatewayInput,
  ServiceAnswer,
} from './gateway/gateway-handlers.ts';
export type {
  GatewayLogin,
  GatewayLoginHandler,
  GatewaySecurity,
} from './gateway/gateway-security.ts';
export { removeHopByHop } from './gateway/remove-hop-by-hop.ts';
export type { WebSocketAnswer, WebSocketHandler } from './gateway/web-socket-handler.ts';
export { CONTRACT as contract } from './generated/contract.gen.ts';
export { type Cors, type CorsOptions, type CorsSurface, createCors } from './http/cors.ts';
export type { Headers, HeaderValue } from './http/headers.ts';
export { isResponding } from './http/upgrade-response.ts';
export type { BerthRouterOptions, EnvOption } from './router-options.ts';
export {
  type Answer,
  type BodyWriter,
  type Call,
  createEventStream,
  type Deprecation,
  type EndAnswer,
  type EventStream,
  type EventStreamOptions,
  type Fault,
  type FaultKind,
  type FoundOperation,
  type RawBody,
  type RequestLimits,
  type Router,
  type RouteTable,
  type ServerEvent,
  toAnswer,
  type Violation,
} from './runtime/index.ts';
export { createStorageRouter, type StorageRouterOptions } from './storage/create-storage-router.ts';
export type {
  StorageCall,
  StorageData,
  StorageHandler,
  StorageHandlers,
  StorageInput,
  StorageOperationId,
} from './storage/storage-handlers.ts';
export type {
  StorageCredentials,
  StorageLogin,
  StorageSecurity,
} from './storage/storage-security.ts';
export { createUploadRouter, type UploadRouterOptions } from './upload/create-upload-router.ts';
export type {
  UploadHandler,
  UploadHandlers,
  UploadInput,
  UploadResult,
} from './upload/upload-handlers.ts';
export { defaultWireProfile, type WireProfile } from './wire-profile.ts';
