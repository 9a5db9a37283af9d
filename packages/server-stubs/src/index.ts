export type { CorsOptions } from './cors.ts';
export { GatewayError, StorageError, UploadError } from './errors.ts';
export * from './gateway/router.ts';
export type { ServiceResponse } from './gateway/service-response.ts';
export type { WebSocketResponse } from './gateway/web-socket.ts';
export {
  type Call,
  createEventStream,
  HttpError,
  type Router,
  type Violation,
} from './runtime/index.ts';
export * from './storage/router.ts';
export type { StorageCredentials } from './storage/wire.ts';
export * from './upload/router.ts';
