export type { CorsOptions } from './cors.ts';
export { GatewayError, StorageError, UploadError } from './errors.ts';
export * from './gateway.ts';
export {
  type Call,
  createEventStream,
  HttpError,
  type Router,
  type Violation,
} from './runtime/index.ts';
export type { ServiceResponse } from './service-response.ts';
export * from './storage.ts';
export type { StorageCredentials } from './storage-wire.ts';
export * from './upload.ts';
export type { WebSocketResponse } from './web-socket.ts';
