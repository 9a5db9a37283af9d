import type { CallOptions, FetchLike, Hooks, SharedCallOptions } from '../call-options.ts';

import type { STORAGE_PATH } from '../generated/contract.gen.ts';
import type { paths } from '../generated/storage.v2.gen.ts';
import type { StorageNames } from '../wire-profile.ts';
import type { StorageResponse } from './envelope.ts';
import type { Pipeline } from './pipeline.ts';

/** Paths of the storage operations, without the upload target, which has no fixed URL. */
export type StoragePath = Extract<keyof paths, `${typeof STORAGE_PATH}${string}`>;

/** A storage operation's `operationId`, which is the last segment of its path. */
export type StorageOperation = StoragePath extends `${typeof STORAGE_PATH}${infer Id}` ? Id : never;

/** A storage operation's JSON body, with its fields at the top level. */
export type StorageBody<Operation extends StorageOperation> = Exclude<
  paths[`${typeof STORAGE_PATH}${Operation}`]['post']['requestBody']['content']['application/json'],
  { data: unknown }
>;

/**
 * Options for a storage call. There is no `idempotent` option, because the client knows which storage calls
 * are idempotent (D26).
 */
export type StorageCallOptions = Omit<CallOptions, 'idempotent'>;

/** State shared by all operations of a storage client. */
export interface StorageContext extends SharedCallOptions {
  readonly wireProfile: StorageNames;
  readonly hooks?: Hooks | undefined;
  readonly onWarning: (message: string) => void;
  /** Calls an operation and unwraps its envelope. `what` starts the message of an error. */
  call<Operation extends StorageOperation>(
    operation: Operation,
    body: StorageBody<Operation>,
    what: string,
    options: StorageCallOptions,
  ): Promise<StorageResponse>;
  /** Sends requests without credentials, for links. */
  readonly links: Pipeline;
  /** The caller's own `fetch`. */
  readonly fetch?: FetchLike | undefined;
  readonly agent?: object | undefined;
}
