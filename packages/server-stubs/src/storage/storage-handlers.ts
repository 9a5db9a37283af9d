import type { Handlers } from '../generated/storage.v2/index.gen.ts';
import type { Call } from '../runtime/index.ts';

/** Operations of the storage API; the upload target has a router of its own. */
export type StorageOperationId = Exclude<keyof Handlers, 'uploadFile'>;

type Generated<Id extends StorageOperationId> = NonNullable<Handlers[Id]>;

/**
 * Fields of a storage request: validated, and flat, whether they came at the top level or inside `data`
 * (D21).
 */
export type StorageInput<Id extends StorageOperationId> = Parameters<Generated<Id>>[0]['body'];

/** `data` of a storage answer; the router puts it into the envelope (D20). */
export type StorageData<Id extends StorageOperationId> = DataOf<Awaited<ReturnType<Generated<Id>>>>;

type DataOf<Output> = Output extends { status: 200; body: { body: { data?: infer Data } } }
  ? Exclude<Data, undefined>
  : never;

/** A storage call on its way to an answer. */
export interface StorageCall<Caller = unknown> extends Call<{ readonly credentials: Caller }> {
  /** Environment of the path. */
  readonly envId: string;
  /** Who was let in: what the security handler returned. */
  readonly caller: Caller;
}

/**
 * Handles one storage operation: gets the fields, returns `data`. A bad item of a list gets a `code` of
 * its own; to refuse the whole call, throw a `StorageError`.
 */
export type StorageHandler<Id extends StorageOperationId, Caller = unknown> = (
  input: StorageInput<Id>,
  call: StorageCall<Caller>,
) => StorageData<Id> | Promise<StorageData<Id>>;

/** Handlers of the storage API by operationId. An operation that is left out answers 501. */
export type StorageHandlers<Caller = unknown> = {
  readonly [Id in StorageOperationId]?: StorageHandler<Id, Caller>;
};
