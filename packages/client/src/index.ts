export type { WireProfile, WireProfileInput } from '@berth/spec/wire-profile';
export { defaultWireProfile } from '@berth/spec/wire-profile';
export type { GatewayAuth, SignableRequest, StorageCredentials } from './auth/credentials.ts';
export { bearer } from './auth/credentials.ts';
export type { Tc3KeyPair, Tc3Options } from './auth/tc3.ts';
export { tc3, tc3Storage } from './auth/tc3.ts';
export type { CallOptions, FetchLike, RetryOptions, Timeouts } from './call-options.ts';
export type { GatewayClient, GatewayClientOptions } from './create-gateway-client.ts';
export { createGatewayClient } from './create-gateway-client.ts';
export type { StorageClient, StorageClientOptions } from './create-storage-client.ts';
export { createStorageClient } from './create-storage-client.ts';
export type { AnyBerthError, ContractIssue } from './errors.ts';
export {
  BerthError,
  ContractError,
  GatewayError,
  isBerthError,
  isContractError,
  isGatewayError,
  isNetworkError,
  isStorageError,
  isTimeoutError,
  isUploadError,
  NetworkError,
  StorageError,
  TimeoutError,
  UploadError,
} from './errors.ts';
export { CONTRACT as contract } from './generated/contract.gen.ts';
export type { paths as GatewayPaths } from './generated/gateway.v1.gen.ts';
export type { paths as StoragePaths } from './generated/storage.v2.gen.ts';
export type { StandardSchema } from './internal/check-payload.ts';
export { toGatewayError } from './internal/gateway-errors.ts';
export type { Progress } from './internal/options.ts';
export { unwrapEnvelope } from './internal/storage.ts';
export type { DownloadOptions } from './operations/download.ts';
export type {
  CopyItem,
  CopyListResult,
  CopyOptions,
  CopyResult,
  DeleteResult,
  TempUrlOptions,
  TempUrlResult,
} from './operations/lists.ts';
export type { UploadOptions, UploadResult } from './operations/upload.ts';
export type { UploadData } from './platform/upload-form.ts';
export type { DocumentedService } from './service/create-service.ts';
export type {
  ConnectOptions,
  EventsOptions,
  PayloadOptions,
  RequestOptions,
  Service,
  ServiceCallOptions,
  ServiceEvent,
} from './service/service.ts';
