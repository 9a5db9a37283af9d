export type {
  GatewayQueries,
  ServiceQueries,
  ServiceQueryOptions,
} from './create-gateway-queries.ts';
export { createGatewayQueries } from './create-gateway-queries.ts';
export type { LinkOptions, LinkQuery, StorageQueries } from './create-storage-queries.ts';
export { createStorageQueries } from './create-storage-queries.ts';
export type { BerthQuery, GatewayQueryPaths, StorageQueryPaths } from './query.ts';
export type { Upload, UploadVariables, UseUploadOptions } from './use-upload.ts';
export { useUpload } from './use-upload.ts';
