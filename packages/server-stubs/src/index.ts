export type { CorsOptions } from './cors.ts';
export { GatewayError, StorageError, UploadError } from './errors.ts';
export * from './gateway/router.ts';
export type { ServiceResponse } from './gateway/service-response.ts';
export type { WebSocketResponse } from './gateway/web-socket.ts';
export * from './runtime/event-stream.ts';
export type { Router } from './runtime/options.ts';
export {
  type Call,
  HttpError,
  type ServerEvent,
  type Violation,
} from './runtime/portable/index.ts';
export { toUpgradeOptions, UpgradeResponse } from './runtime/upgrade-response.ts';
export * from './storage/router.ts';
export type { StorageCredentials } from './storage/wire.ts';
export * from './upload/router.ts';
