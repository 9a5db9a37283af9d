export type { ErrorOptions } from './error-options.ts';
export type { FileOptions, MswFile, MswFiles } from './files.ts';
export { gatewayError } from './gateway/gateway-error.ts';
export type {
  EventSourceOf,
  MswService,
  ServiceAnswer,
  ServiceEventInit,
  ServiceRequest,
  ServiceResolver,
} from './gateway/msw-service.ts';
export type { MswHandlers, MswHandlersOptions } from './msw-handlers.ts';
export { mswHandlers } from './msw-handlers.ts';
export { storageError } from './storage/storage-error.ts';
export type {
  MswStorage,
  StorageData,
  StorageRequest,
  StorageResolver,
} from './storage/storage-resolver.ts';
export type { MswUploads, UploadRequest } from './upload/msw-uploads.ts';
export { uploadError } from './upload/upload-error.ts';
