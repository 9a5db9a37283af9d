import type { Handlers } from '../generated/storage.v2/index.gen.ts';
import type { Call } from '../runtime/index.ts';

/** The storage API operations. The upload target has its own router. */
export type StorageOperationId = Exclude<keyof Handlers, 'uploadFile'>;

type Generated<Id extends StorageOperationId> = NonNullable<Handlers[Id]>;

/**
 * The validated fields of a storage request. They are at the top level, even if they were sent inside `data`
 * (D21).
 */
export type StorageInput<Id extends StorageOperationId> = Parameters<Generated<Id>>[0]['body'];

/** The `data` of a storage response, which the router wraps in the envelope (D20). */
export type StorageData<Id extends StorageOperationId> = DataOf<Awaited<ReturnType<Generated<Id>>>>;

type DataOf<Output> = Output extends { status: 200; body: { body: { data?: infer Data } } }
  ? Exclude<Data, undefined>
  : never;

/** The context of a storage call. */
export interface StorageCall<Caller = unknown> extends Call<{ readonly credentials: Caller }> {
  /** Environment in the path. */
  readonly envId: string;
  /** The authenticated caller, as the security handler returned it. */
  readonly caller: Caller;
}

/**
 * Handles a storage operation: receives the fields and returns `data`. Return an invalid item in a list with
 * its own `code`. To reject the call, throw a `StorageError`.
 */
export type StorageHandler<Id extends StorageOperationId, Caller = unknown> = (
  input: StorageInput<Id>,
  call: StorageCall<Caller>,
) => StorageData<Id> | Promise<StorageData<Id>>;

/** Storage API handlers by operationId. Operations without a handler respond with 501. */
export type StorageHandlers<Caller = unknown> = {
  readonly [Id in StorageOperationId]?: StorageHandler<Id, Caller>;
};
