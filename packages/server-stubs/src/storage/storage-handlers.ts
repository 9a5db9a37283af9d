import type { Handlers } from '../generated/storage.v2/index.gen.ts';
import type { Call } from '../runtime/index.ts';

/** Operations of the storage API; the upload target has a router of its own. */
export type StorageOperationId = Exclude<keyof Handlers, 'uploadFile'>;

type Generated<Id extends StorageOperationId> = NonNullable<Handlers[Id]>;

/**
 * Fields of a storage request: validated, and flat, whether they were sent at the top level or inside
 * `data` (D21).
 */
export type StorageInput<Id extends StorageOperationId> = Parameters<Generated<Id>>[0]['body'];

/** `data` of a storage response; the router wraps it in the envelope (D20). */
export type StorageData<Id extends StorageOperationId> = DataOf<Awaited<ReturnType<Generated<Id>>>>;

type DataOf<Output> = Output extends { status: 200; body: { body: { data?: infer Data } } }
  ? Exclude<Data, undefined>
  : never;

/** Context of a storage call. */
export interface StorageCall<Caller = unknown> extends Call<{ readonly credentials: Caller }> {
  /** Environment of the path. */
  readonly envId: string;
  /** The authenticated caller: what the security handler returned. */
  readonly caller: Caller;
}

/**
 * Handles one storage operation: gets the fields, returns `data`. Return a bad item of a list with its
 * own `code`; to refuse the call, throw a `StorageError`.
 */
export type StorageHandler<Id extends StorageOperationId, Caller = unknown> = (
  input: StorageInput<Id>,
  call: StorageCall<Caller>,
) => StorageData<Id> | Promise<StorageData<Id>>;

/** Handlers of the storage API by operationId. An operation without a handler responds with 501. */
export type StorageHandlers<Caller = unknown> = {
  readonly [Id in StorageOperationId]?: StorageHandler<Id, Caller>;
};
