import type { HttpHandler, RequestHandlerOptions } from 'msw';
import type { STORAGE_PATH } from '../../generated/contract.gen.ts';
import type { paths } from '../../generated/storage.v2.gen.ts';
import type { StorageBody, StorageOperation } from '../../internal/storage-context.ts';

type Envelope<Operation extends StorageOperation> =
  paths[`${typeof STORAGE_PATH}${Operation}`]['post']['responses'][200]['content']['application/json'];

/** `data` in the answer of a storage operation. */
export type StorageData<Operation extends StorageOperation> = NonNullable<
  Envelope<Operation>['body']['data']
>;

/** One call of a storage operation. It has credentials, and its fields have the right types. */
export interface StorageRequest<Operation extends StorageOperation> {
  /** The request, its body unread. */
  readonly request: Request;
  /** Its fields, also where they were nested in `data` (D21). */
  readonly body: StorageBody<Operation>;
}

/**
 * Answers a storage operation: with the `data` of the envelope, with a whole answer such as
 * `storageError(code)`, or with nothing, and then the handler before it answers.
 */
export type StorageResolver<Operation extends StorageOperation> = (
  call: StorageRequest<Operation>,
) => Maybe<StorageData<Operation> | Response>;

type Maybe<Value> = Value | undefined | Promise<Value | undefined>;

/**
 * Handlers of the storage operations, to be put before the default ones.
 *
 * @example
 * server.use(berth.storage.batchDelete(({ body }) => ({
 *   fileList: body.fileList.map((fileID) => ({ fileID, code: 'STORAGE_FILE_NONEXIST' })),
 * })));
 */
export type MswStorage = {
  readonly [Operation in StorageOperation]: (
    resolver: StorageResolver<Operation>,
    options?: RequestHandlerOptions,
  ) => HttpHandler;
};
