/**
 * Errors, limits, constants and rules of the contract, for `@berth/storage` and for mocks in a page. Nothing here
 * needs a Node.js module.
 */
export {
  ContractError,
  type ContractErrorOptions,
  GatewayError,
  StorageError,
  type StorageErrorCode,
  type StorageItemCode,
  toContractError,
  UploadError,
} from './errors.ts';
export { toCallerResponse } from './gateway/to-caller-response.ts';
export {
  COPY_PATH_PATTERN,
  CORS,
  ITEM_SUCCESS,
  LIMITS,
  SIGNATURE,
} from './generated/contract.gen.ts';
export { STORAGE_ERRORS, STORAGE_ITEM_ERRORS } from './generated/errors.gen.ts';
export { routes as gatewayRoutes } from './generated/gateway.v1/routes.gen.ts';
export { routes as storageRoutes } from './generated/storage.v2/routes.gen.ts';
export { createCors } from './http/cors.ts';
export { readJsonBody } from './runtime/body/read-fields.ts';
export { decodeText } from './runtime/decoding.ts';
export {
  badPath,
  bodyTooLarge,
  HttpError,
  hasResponse,
  malformed,
  notAllowed,
  notFound,
  toResponse,
} from './runtime/faults.ts';
export { assertBatch, readCredentials, toStorageResponse } from './storage/storage-call.ts';
export { toWireForm } from './storage/wire-form.ts';
export {
  type FieldPart,
  type FileHead,
  readForm,
  toUploaded,
  toUploadFields,
} from './upload/upload-form.ts';
