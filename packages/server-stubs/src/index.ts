export {
  defaultWireProfile,
  type WireProfile,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
export {
  ContractError,
  type ContractErrorOptions,
  GatewayError,
  type GatewayErrorCode,
  StorageError,
  UploadError,
} from './errors.ts';
export {
  createGatewayRouter,
  type GatewayLogin,
  type GatewayRouter,
  type GatewayRouterOptions,
  type GatewaySecurity,
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
export { type Cors, type CorsOptions, createCors } from './http/cors.ts';
export {
  applyDispositionRules,
  isLoopback,
} from './http/headers.ts';
export type { EnvOption } from './http/router-options.ts';
export { isResponding, takeSubprotocols, UpgradeResponse } from './http/upgrade.ts';
export {
  type BodyWriter,
  type Call,
  createEventStream,
  type EndResponse,
  type HandlerResponse,
  HttpError,
  type RequestLimits,
  type Router,
  type RouteTable,
  toResponse,
  type Violation,
} from './runtime/index.ts';
export type {
  StorageCall,
  StorageData,
  StorageHandler,
  StorageHandlers,
  StorageInput,
  StorageOperationId,
} from './storage/create-storage-router.ts';
export {
  createStorageRouter,
  type StorageCredentials,
  type StorageLogin,
  type StorageRouterOptions,
  type StorageSecurity,
} from './storage/create-storage-router.ts';
export { toWireForm } from './storage/wire-form.ts';
export type {
  UploadHandler,
  UploadHandlers,
  UploadInput,
  UploadResult,
} from './upload/create-upload-router.ts';
export { createUploadRouter, type UploadRouterOptions } from './upload/create-upload-router.ts';
