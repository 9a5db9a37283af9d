import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CorsOptions,
  type StorageCall,
  StorageError,
  type WireProfile,
} from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Caller } from '../auth/caller.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Grants, Links } from './signing.ts';

/** What the operations of one server share. */
export interface StorageContext {
  readonly blobs: BlobStore;
  readonly grants: Grants;
  readonly links: Links;
  readonly limits: StorageLimits;
  readonly wireProfile: WireProfile;
  readonly redirectLinks: boolean;
  readonly now: () => number;
  bucketOf(env: string): string | undefined;
  publicUrl(request: IncomingMessage): string;
  onChange(change: FileChange): void;
  onRefusal(code: string, response: ServerResponse): void;
  onError(error: unknown, requestId: string): void;
}

/**
 * The environment of a call, and its bucket.
 *
 * D30: "storage calls … for another environment are refused".
 *
 * @throws StorageError INVALID_ENV, STORAGE_EXCEED_AUTHORITY
 */
export function toScope(
  { envId: env, caller }: Pick<StorageCall<Caller>, 'envId' | 'caller'>,
  { bucketOf }: StorageContext,
): { readonly env: string; readonly bucket: string } {
  if (caller.env !== env) throw new StorageError('STORAGE_EXCEED_AUTHORITY');
  const bucket = bucketOf(env);
  if (bucket !== undefined) return { env, bucket };
  throw new StorageError('INVALID_ENV', { message: `There is no environment ${env}.` });
}

/** What the storage API of a server is made of. */
export interface StorageOptions {
  /** Where the files are. */
  readonly blobs: BlobStore;
  /**
   * Secrets of at least 16 bytes that sign grants and links. The first signs and all verify: put a new
   * one in front and take the old one away when what it signed has expired (`limits.linkMaxSeconds`).
   * Whoever knows one can read and write every file. All processes of a deployment need the same ones.
   */
  readonly keys: readonly Buffer[];
  /** The bucket of an environment; undefined where there is no such environment. Asked at each call. */
  readonly bucketOf: (env: string) => string | undefined;
  /**
   * Address under which callers reach this server, without a slash at its end, such as
   * `https://files.example.com`; upload addresses and links begin with it. A function sees the request:
   * it must not believe every `Host`, for a link goes to whomever it names.
   */
  readonly publicUrl: string | ((request: IncomingMessage) => string);
  readonly limits?: Partial<StorageLimits>;
  /** Origins whose pages may read downloads. Default: every origin, without credentials (D11). */
  readonly cors?: CorsOptions;
  /** Names on the wire. Default: the neutral names of the contract (D1). */
  readonly wireProfile?: WireProfile;
  /**
   * Whether a link leads on to an address of the store, where the store has such (`BlobStore.presign`);
   * the bytes then do not pass this server, and neither do its headers and its rules for browsers.
   * Default true: the options of the store decide.
   */
  readonly redirectLinks?: boolean;
  /** Clock in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Hears of each change of a file, once it is made. Must not throw. */
  readonly onChange?: (change: FileChange) => void;
  /** Hears the code of each error that a download is answered with. Must not throw. */
  readonly onRefusal?: (code: string, response: ServerResponse) => void;
  /** Hears of what failed inside a batch or a download. Default: prints it to standard error. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** Durations in whole seconds; defaults are those of the contract (D22, D27). */
export interface StorageLimits {
  /** Lifetime of an upload grant. Default 900. */
  readonly grantSeconds: number;
  /** Lifetime of a link whose `maxAge` was omitted. Default 600. */
  readonly linkSeconds: number;
  /** Shortest lifetime of a link. Default 1. */
  readonly linkMinSeconds: number;
  /** Longest lifetime of a link. Default 604800. */
  readonly linkMaxSeconds: number;
}

/** One change of a file, for an audit. A move is a copy and a deletion. */
export interface FileChange {
  readonly action: 'upload' | 'copy' | 'delete';
  readonly env: string;
  /** Path of the file that is there, or gone, now. */
  readonly path: string;
  /** Source of a copy. */
  readonly from?: string;
  /** Id of the caller; of an upload the one who asked for the grant. */
  readonly caller: string;
  /** Size of what was written. */
  readonly bytes?: number;
  readonly requestId: string;
}

/** What the contract's table of storage errors says of a code. */
interface StorageRow {
  readonly code: string;
  readonly message: string;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

/** The row of a code. One that is not in the table is a mistake of this server, so it throws. */
export function rowOf(code: string): StorageRow {
  const row = defaults.storageErrors.find((candidate) => candidate.code === code);
  if (row === undefined) throw new TypeError(`${code} is in no error table of the contract.`);
  return row;
}
