import type { WireProfile } from '@berth/spec/wire-profile';
import type { Session } from './auth.ts';
import type { Limits, StorageCallOptions } from './call-options.ts';
import type { Call } from './calls.ts';
import type { StorageResponse } from './envelope.ts';
import type { createFetch, FetchLike, Sender } from './fetch.ts';
import type { GatewayErrors } from './gateway-errors.ts';
import type { STORAGE_PATH } from './generated/contract.gen.ts';
import type { paths } from './generated/storage.v2.gen.ts';

/** State that a gateway client's services share. `createGatewayClient` creates it. */
export interface GatewayContext {
  readonly sender: Sender;
  readonly call: Call;
  readonly fetch: ReturnType<typeof createFetch>;
  readonly session: Session | undefined;
  readonly toGatewayError: GatewayErrors['toGatewayError'];
}

/** Paths of the storage operations, without the upload target, whose URL is part of a grant. */
export type StoragePath = Extract<keyof paths, `${typeof STORAGE_PATH}${string}`>;

type StorageOperation = StoragePath extends `${typeof STORAGE_PATH}${infer Id}` ? Id : never;

/** State that a storage client's methods share. `createStorageClient` creates it. */
export interface StorageContext {
  readonly wireProfile: WireProfile;
  readonly onWarning: (message: string) => void;
  /** Calls an operation, and reads its envelope. `summary` starts the message of an error. */
  callOperation(
    operation: StorageOperation,
    body: object,
    summary: string,
    options: StorageCallOptions,
  ): Promise<StorageResponse>;
  /** Limits of uploads and downloads, which have no time limit unless the call sets one. */
  readonly transferLimits: Limits & { readonly idle: number };
  /** The `fetch` of the client's options. */
  readonly platformFetch: FetchLike | undefined;
  readonly agent: object | undefined;
}
