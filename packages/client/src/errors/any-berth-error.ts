import { isOfFamily } from './berth-error.ts';
import type { ContractError } from './contract-error.ts';
import type { GatewayError } from './gateway-error.ts';
import type { NetworkError } from './network-error.ts';
import type { StorageError } from './storage-error.ts';
import type { TimeoutError } from './timeout-error.ts';
import type { UploadError } from './upload-error.ts';

/**
 * Any error of this library. Its `name` tells the classes apart.
 *
 * @example
 * function toText(error: AnyBerthError): string {
 *   switch (error.name) {
 *     case 'TimeoutError':
 *       return `Nothing came within ${error.timeout} ms.`;
 *     case 'GatewayError':
 *       return `The ${error.source} failed with status ${error.status}.`;
 *     default:
 *       return error.message;
 *   }
 * }
 */
export type AnyBerthError =
  | ContractError
  | GatewayError
  | NetworkError
  | StorageError
  | TimeoutError
  | UploadError;

/**
 * Whether an error is one of this library, also of another copy of it. Its `name` then tells which.
 *
 * @example
 * if (!isBerthError(error)) throw error;
 * if (error.name === 'GatewayError') console.error(error.source, error.code);
 */
export function isBerthError(error: unknown): error is AnyBerthError {
  return isOfFamily(error);
}
