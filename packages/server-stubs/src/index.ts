export type { CorsOptions } from './cors.ts';
export { GatewayError, StorageError, UploadError } from './errors.ts';
export {
  createGatewayRouter,
  type GatewayCall,
  type GatewayHandler,
  type GatewayHandlers,
  type GatewayInput,
  type GatewayLogin,
  type GatewayRouter,
  type GatewayRouterOptions,
  type GatewaySecurity,
  type WebSocketHandler,
} from './gateway.ts';
export {
  type Call,
  createEventStream,
  HttpError,
  type Router,
  type Violation,
} from './runtime/index.ts';
export type { ServiceResponse } from './service-response.ts';
export {
  createStorageRouter,
  type StorageCall,
  type StorageData,
  type StorageHandlers,
  type StorageInput,
  type StorageLogin,
  type StorageRouterOptions,
  type StorageSecurity,
} from './storage.ts';
export type { StorageCredentials } from './storage-wire.ts';
export {
  createUploadRouter,
  type UploadHandler,
  type UploadInput,
  type UploadResult,
  type UploadRouterOptions,
} from './upload.ts';
export type { WebSocketResponse } from './web-socket.ts';
