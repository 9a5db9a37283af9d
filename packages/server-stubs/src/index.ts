export {
  ContractError,
  type ContractErrorOptions,
  GatewayError,
  type GatewayErrorCode,
  type OpenCode,
  StorageError,
  type StorageErrorCode,
  type StorageItemCode,
  UploadError,
  type UploadErrorCode,
  type UploadErrorOptions,
} from './errors.ts';
export * from './gateway/create-gateway-router.ts';
export type * from './gateway/gateway-handlers.ts';
export { CONTRACT as contract } from './generated/contract.gen.ts';
export { type Cors, type CorsOptions, type CorsSurface, createCors } from './http/cors.ts';
export { applyDispositionRules } from './http/disposition.ts';
export { type Headers, type HeaderValue, removeHopByHop } from './http/headers.ts';
export { isLoopback } from './http/host.ts';
export type { BerthRouterOptions, EnvOption } from './http/router-options.ts';
export { isResponding, takeSubprotocols, UpgradeResponse } from './http/upgrade.ts';
export { defaultWireProfile, type WireProfile } from './http/wire-profile.ts';
export {
  type BodyWriter,
  type Call,
  createEventStream,
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
export * from './storage/create-storage-router.ts';
export type * from './storage/storage-handlers.ts';
export * from './upload/create-upload-router.ts';
export type * from './upload/upload-handlers.ts';
