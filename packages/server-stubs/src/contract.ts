/** Errors, limits and constants of the contract. Works in browsers: nothing here imports a Node.js module. */
export {
  ContractError,
  GatewayError,
  StorageError,
  type StorageErrorCode,
  type StorageItemCode,
  UploadError,
} from './errors.ts';
export { COPY_PATH_PATTERN, CORS, ITEM_SUCCESS, LIMITS } from './generated/contract.gen.ts';
export { STORAGE_ERRORS, STORAGE_ITEM_ERRORS } from './generated/errors.gen.ts';
export { toWireForm } from './storage/wire-form.ts';
