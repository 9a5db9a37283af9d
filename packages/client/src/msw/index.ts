export type { ErrorOptions, FileOptions, MswFile, MswFiles } from './context.ts';
export type {
  EventSourceOf,
  MswService,
  ServiceEventInit,
  ServiceRequest,
  ServiceResolver,
  ServiceResponse,
} from './gateway.ts';
export { gatewayError } from './gateway.ts';
export type { MswHandlers, MswHandlersOptions } from './msw-handlers.ts';
export { mswHandlers } from './msw-handlers.ts';
export type {
  MswStorage,
  StorageData,
  StorageRequest,
  StorageResolver,
} from './storage.ts';
export { storageError } from './storage.ts';
export type { MswUploads, UploadRequest } from './uploads.ts';
export { uploadError } from './uploads.ts';
