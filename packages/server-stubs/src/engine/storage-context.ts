import { StorageError } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { STORAGE_ERRORS, STORAGE_ITEM_ERRORS } from '../generated/errors.gen.ts';
import { defaultWireProfile, type WireProfile } from '../http/wire-profile.ts';
import type { StorageCall } from '../storage/storage-handlers.ts';
import type { BlobStore } from './blob-store.ts';
import { COPY_PATTERN } from './file-path.ts';
import { createGrants, createLinks, type Grants, type Links, type Signer } from './signing.ts';

/** Path of the upload target, unless an option says otherwise. */
export const UPLOAD_PATH = '/upload';

/** The caller, as returned by the security handler of the router. */
export interface StorageCaller {
  /** Environment that the credentials belong to (D30). */
  readonly env: string;
  /** Recorded in grants and `onChange`. */
  readonly id: string;
}

export type OperationCall = Pick<
  StorageCall<StorageCaller>,
  'envId' | 'caller' | 'request' | 'requestId'
>;

export interface StorageOptions {
  /** The store of the files. */
  readonly blobs: BlobStore;
  /** Signs grants and links. Its keys give access to every file. */
  readonly signer: Signer;
  /** The bucket of an environment; undefined if there is no such environment. Called for each request. */
  readonly bucketOf: (env: string) => string | undefined;
  /**
   * Public URL of this server without a trailing slash, such as `https://files.example.com`; upload URLs
   * and links begin with it. A function gets the request: it must not trust every `Host`, because links
   * send users there.
   */
  readonly publicUrl: string | ((request: OperationCall['request']) => string);
  /** Path and query of upload URLs below `publicUrl`. Default `/upload`. */
  readonly uploadTarget?: string | undefined;
  /** Appended to the query of each link, such as `session=a`. Default: nothing. */
  readonly linkQuery?: string | undefined;
  /**
   * The only environment; links then do not contain it. Default: links contain environment and bucket.
   */
  readonly onlyEnv?: string | undefined;
  readonly limits?: Partial<StorageLimits> | undefined;
  /** What copy paths must match, by the name of the field. Default: the contract's pattern. Undefined: any path. */
  readonly copyPattern?: ((field: 'srcPath' | 'dstPath') => RegExp | undefined) | undefined;
  /** Names on the wire, for messages. Default: the neutral names of the contract (D1). */
  readonly wireProfile?: (() => WireProfile) | undefined;
  /** Whether browsers show a downloaded file instead of saving it. Default false. */
  readonly inline?: boolean | undefined;
  /**
   * Whether links redirect to a URL of the store, if the store supports it (`BlobStore.presign`). The
   * bytes then bypass this server, and so do its headers and rules for browsers. Default true: the
   * options of the store decide.
   */
  readonly redirectLinks?: boolean | undefined;
  /** Clock in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Called after each change of a file. Must not throw. */
  readonly onChange?: ((change: FileChange) => void) | undefined;
  /** Called with each error inside a batch; the caller gets a fixed message. Must not throw. */
  readonly onError: (error: unknown, requestId: string) => void;
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
  /** Path of the file that was written or deleted. */
  readonly path: string;
  /** Source of a copy. */
  readonly from?: string;
  /** Id of the caller; for uploads, of the one who requested the grant. */
  readonly caller: string;
  /** Size of what was written. */
  readonly bytes?: number;
  readonly requestId: string;
}

export interface StorageContext extends Pick<StorageOptions, 'blobs' | 'bucketOf' | 'onError'> {
  readonly uploadTarget: string;
  readonly inline: boolean;
  readonly redirectLinks: boolean;
  readonly grants: Grants;
  readonly links: Links;
  readonly limits: StorageLimits;
  publicUrl(request: OperationCall['request']): string;
  copyPattern(field: 'srcPath' | 'dstPath'): RegExp | undefined;
  wireProfile(): WireProfile;
  onChange(change: FileChange): void;
}

export function toContext(options: StorageOptions): StorageContext {
  const { blobs, signer, bucketOf, publicUrl, onlyEnv, now = Date.now } = options;
  const only =
    onlyEnv === undefined ? undefined : { env: onlyEnv, bucket: bucketOf(onlyEnv) ?? '' };
  return {
    blobs,
    bucketOf,
    grants: createGrants(signer, now),
    links: createLinks(signer, now, { only, query: options.linkQuery }),
    limits: { ...LIMITS, ...options.limits },
    uploadTarget: options.uploadTarget ?? UPLOAD_PATH,
    inline: options.inline ?? false,
    redirectLinks: options.redirectLinks ?? true,
    publicUrl: typeof publicUrl === 'string' ? () => publicUrl : publicUrl,
    copyPattern: options.copyPattern ?? (() => COPY_PATTERN),
    wireProfile: options.wireProfile ?? (() => defaultWireProfile),
    onChange: options.onChange ?? (() => {}),
    onError: options.onError,
  };
}

/**
 * Returns the environment of a call and its bucket.
 *
 * D30: "storage calls … for another environment are refused".
 *
 * @throws StorageError INVALID_ENV, STORAGE_EXCEED_AUTHORITY
 */
export function toScope(
  { envId: env, caller }: Pick<OperationCall, 'envId' | 'caller'>,
  { bucketOf }: StorageContext,
): { readonly env: string; readonly bucket: string } {
  if (caller.env !== env) throw new StorageError('STORAGE_EXCEED_AUTHORITY');
  const bucket = bucketOf(env);
  if (bucket !== undefined) return { env, bucket };
  throw new StorageError('INVALID_ENV', { message: `There is no environment ${env}.` });
}

const MESSAGES: Readonly<Record<string, { readonly message: string }>> = {
  ...STORAGE_ERRORS,
  ...STORAGE_ITEM_ERRORS,
};

/** The message of the contract's table for a code. */
export function messageOf(code: string): string {
  return MESSAGES[code]?.message ?? code;
}
