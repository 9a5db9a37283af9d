export type { WireProfile, WireProfileInput } from '@berth/spec/wire-profile';
export { defaultWireProfile } from '@berth/spec/wire-profile';
export type {
  GatewayAuth,
  SignableRequest,
  StorageCredentials,
  StorageCredentialsSource,
  TokenProvider,
} from './auth/credentials.ts';
export { bearer } from './auth/credentials.ts';
export * from './auth/tc3.ts';
export * from './call-options.ts';
export * from './create-gateway-client.ts';
export * from './create-storage-client.ts';
export * from './errors.ts';
export { CONTRACT as contract } from './generated/contract.gen.ts';
export type {
  components as GatewayComponents,
  paths as GatewayPaths,
} from './generated/gateway.v1.gen.ts';
export type {
  components as StorageComponents,
  paths as StoragePaths,
} from './generated/storage.v2.gen.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './internal/check-payload.ts';
export { toGatewayError } from './internal/gateway-errors.ts';
export type { Progress } from './internal/options.ts';
export { unwrapEnvelope } from './internal/storage.ts';
export type { GatewayAddress } from './internal/urls.ts';
export type { DownloadOptions, DownloadRange } from './operations/download.ts';
export type {
  CopyListOptions,
  CopyListResult,
  CopyOptions,
  CopyOrder,
  CopyResult,
  DeleteResult,
  ListOptions,
  TempUrlOptions,
  TempUrlOrder,
  TempUrlResult,
  TempUrlsOptions,
} from './operations/lists.ts';
export type {
  UploadOptions,
  UploadResult,
} from './operations/upload.ts';
export type { FileSource, UploadData } from './platform/upload-form.ts';
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
