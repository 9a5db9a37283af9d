export { toWireProfile, type WireProfile } from '@berth/spec/wire-profile';
export { bearer, type GatewayAuth, type StorageCredentials } from './auth.ts';
export type { StandardSchema } from './body.ts';
export type { CallOptions, Progress, RetryOptions } from './call-options.ts';
export { unwrapEnvelope } from './envelope.ts';
export { type AnyBerthError, BerthError, isBerthError } from './errors.ts';
export type { EventsOptions, ServiceEvent } from './events.ts';
export type { FetchLike } from './fetch.ts';
export type {
  CopyItem,
  CopyListResult,
  CopyOptions,
  DeleteResult,
  TempUrlOptions,
  TempUrlResult,
} from './files.ts';
export type { DocumentedService, GatewayClient, GatewayClientOptions } from './gateway.ts';
export { createGatewayClient } from './gateway.ts';
export type { paths as GatewayPaths } from './generated/gateway.v1.gen.ts';
export type { paths as StoragePaths } from './generated/storage.v2.gen.ts';
export type { PayloadOptions, RequestOptions, Service } from './service.ts';
export type { ConnectOptions } from './socket.ts';
export { createStorageClient, type StorageClient, type StorageClientOptions } from './storage.ts';
export { type Tc3KeyPair, tc3, tc3Storage } from './tc3.ts';
export type { DownloadOptions } from './transfer/download.ts';
export type { UploadData } from './transfer/form.ts';
export type { UploadOptions } from './transfer/upload.ts';
