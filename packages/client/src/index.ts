export type { GatewayAuth, SignableRequest } from './auth/auth.ts';
export type { TokenProvider } from './auth/bearer.ts';
export { bearer } from './auth/bearer.ts';
export type { Tc3KeyPair } from './auth/tc3/create-tc3-signer.ts';
export type { Tc3Options } from './auth/tc3.ts';
export { tc3 } from './auth/tc3.ts';
export type { ExpiringKeyPair, Tc3StorageOptions } from './auth/tc3-storage.ts';
export { tc3Storage } from './auth/tc3-storage.ts';
export type {
  CallOptions,
  Hooks,
  RetryOptions,
  SharedCallOptions,
  Timeouts,
  TryEvent,
} from './call-options.ts';
export type { GatewayClient, GatewayClientOptions } from './create-gateway-client.ts';
export { createGatewayClient } from './create-gateway-client.ts';
export type { StorageClientOptions } from './create-storage-client.ts';
export { createStorageClient } from './create-storage-client.ts';
export type { AnyBerthError } from './errors/any-berth-error.ts';
export { isBerthError } from './errors/any-berth-error.ts';
export type { BerthErrorDetails } from './errors/berth-error.ts';
export { BerthError } from './errors/berth-error.ts';
export type { ContractIssue } from './errors/contract-error.ts';
export { ContractError, isContractError } from './errors/contract-error.ts';
export type { GatewayErrorCode, GatewayErrorDetails } from './errors/gateway-error.ts';
export { GatewayError, isGatewayError } from './errors/gateway-error.ts';
export { isNetworkError, NetworkError } from './errors/network-error.ts';
export type { StorageErrorCode } from './errors/storage-error.ts';
export { isStorageError, StorageError } from './errors/storage-error.ts';
export { isTimeoutError, TimeoutError } from './errors/timeout-error.ts';
export type { UploadErrorCode } from './errors/upload-error.ts';
export { isUploadError, UploadError } from './errors/upload-error.ts';
export type { FetchLike } from './fetch-like.ts';
export { CONTRACT as contract } from './generated/contract.gen.ts';
export type {
  components as GatewayComponents,
  paths as GatewayPaths,
} from './generated/gateway.v1.gen.ts';
export type {
  components as StorageComponents,
  paths as StoragePaths,
} from './generated/storage.v2.gen.ts';
export type { GatewayAddress } from './internal/to-gateway-url.ts';
export type { Progress } from './internal/to-report.ts';
export type {
  CopyListOptions,
  CopyListResult,
  CopyOptions,
  CopyOrder,
  CopyResult,
} from './operations/copy-files.ts';
export type { DeleteResult } from './operations/delete-files.ts';
export type { DownloadOptions, DownloadRange } from './operations/download.ts';
export type { ListOptions } from './operations/list-options.ts';
export type {
  TempUrlOptions,
  TempUrlOrder,
  TempUrlResult,
  TempUrlsOptions,
} from './operations/temp-urls.ts';
export type { UploadOptions, UploadResult } from './operations/upload.ts';
export type {
  UploadManyOptions,
  UploadManyProgress,
  UploadManyResult,
  UploadOrder,
} from './operations/upload-many.ts';
export type {
  ConnectOptions,
  EventsOptions,
  OpenWebSocket,
  PayloadOptions,
  RequestOptions,
  Service,
  ServiceCallOptions,
  ServiceEvent,
} from './service/service.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts';
export type { StorageClient } from './storage-client.ts';
export type { StorageCredentials, StorageCredentialsSource } from './storage-credentials.ts';
export { toGatewayError } from './to-gateway-error.ts';
export { unwrapEnvelope } from './unwrap-envelope.ts';
export type { FileSource, UploadData } from './upload/upload-data.ts';
export type { WireProfile } from './wire-profile.ts';
export { defaultWireProfile } from './wire-profile.ts';
