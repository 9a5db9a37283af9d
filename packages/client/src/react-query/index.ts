export type {
  GatewayQueries,
  ServiceQueries,
  ServiceQueryOptions,
} from './create-gateway-queries.ts';
export { createGatewayQueries } from './create-gateway-queries.ts';
export type {
  LinkOptions,
  LinkQuery,
  StorageQueries,
  Upload,
  UploadVariables,
  UseUploadOptions,
} from './create-storage-queries.ts';
export { createStorageQueries, useUpload } from './create-storage-queries.ts';
export type { BerthQuery, GatewayQueryPaths, StorageQueryPaths } from './query.ts';
