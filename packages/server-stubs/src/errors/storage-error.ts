import { STORAGE_ERRORS, type STORAGE_ITEM_ERRORS } from '../generated/errors.gen.ts';
import { type Answer, type Call, toAnswer } from '../runtime/index.ts';
import { ContractError, type ContractErrorOptions } from './contract-error.ts';
import type { OpenCode } from './open-code.ts';

/** A code of a whole storage call. The known ones are offered by editors; the list is open. */
export type StorageErrorCode = OpenCode<keyof typeof STORAGE_ERRORS>;

/** A code of one entry of a result list. The list is open. */
export type StorageItemCode = OpenCode<'SUCCESS' | keyof typeof STORAGE_ITEM_ERRORS>;

/**
 * Ends a storage call as a whole. Status, text and `Retry-After` come from the table of the contract
 * (D26) unless they are given here; the answer is the envelope `{ statusCode, body }`, and
 * `statusCode` equals the status (D20). A bad item of a list is no error: give it a `code` of its own.
 *
 * @example
 * throw new StorageError('INVALID_PARAM', { message: 'fileList[0].maxAge must be 1 to 604800.' });
 */
export class StorageError extends ContractError {
  override readonly name = 'StorageError';
  declare readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, options?: ContractErrorOptions) {
    super(STORAGE_ERRORS, code, options);
  }

  /** The answer of the runtime to this error. */
  [toAnswer]({ requestId }: Pick<Call, 'requestId'>): Answer {
    const { code, message, status } = this;
    return {
      status,
      headers: { ...this.headers, 'x-request-id': requestId },
      body: { statusCode: status, body: { requestId, code, message } },
    };
  }
}
