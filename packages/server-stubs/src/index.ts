export type { OpenCode } from './errors.ts';
export {
  ContractError,
  type ContractErrorOptions,
  GatewayError,
  type GatewayErrorCode,
  StorageError,
  type StorageErrorCode,
  type StorageItemCode,
  UploadError,
  type UploadErrorCode,
  type UploadErrorOptions,
} from './errors.ts';
export type {
  GatewayLogin,
  GatewayLoginHandler,
  GatewaySecurity,
} from './gateway/create-gateway-router.ts';
export {
  createGatewayRouter,
  type GatewayRouter,
  type GatewayRouterOptions,
} from './gateway/create-gateway-router.ts';
export type {
  GatewayCall,
  GatewayHandler,
  GatewayHandlers,
  GatewayInput,
  ServiceResponse,
  WebSocketHandler,
  WebSocketResponse,
} from './gateway/gateway-handlers.ts';
export { CONTRACT as contract } from './generated/contract.gen.ts';
export { type Cors, type CorsOptions, type CorsSurface, createCors } from './http/cors.ts';
export { applyDispositionRules, dispositionRules } from './http/disposition.ts';
export type { Headers, HeaderValue } from './http/headers.ts';
export { removeHopByHop } from './http/headers.ts';
export type { BerthRouterOptions, EnvOption } from './http/router-options.ts';
export { isResponding } from './http/upgrade.ts';
export { defaultWireProfile, type WireProfile } from './http/wire-profile.ts';
export {
  type BodyWriter,
  type Call,
  createEventStream,
  type Deprecation,
  type EndResponse,
  type EventStream,
  type EventStreamOptions,
  type Fault,
  type FaultKind,
  type FoundOperation,
  type HandlerResponse,
  type RawBody,
  type RequestLimits,
  type Router,
  type RouteTable,
  type ServerEvent,
  toResponse,
  type Violation,
} from './runtime/index.ts';
export type {
  StorageCredentials,
  StorageLogin,
  StorageSecurity,
} from './storage/create-storage-router.ts';
export { createStorageRouter, type StorageRouterOptions } from './storage/create-storage-router.ts';
export type {
  StorageCall,
  StorageData,
  StorageHandler,
  StorageHandlers,
  StorageInput,
  StorageOperationId,
} from './storage/storage-handlers.ts';
export { createUploadRouter, type UploadRouterOptions } from './upload/create-upload-router.ts';
export type {
  UploadHandler,
  UploadHandlers,
  UploadInput,
  UploadResult,
} from './upload/upload-handlers.ts';
