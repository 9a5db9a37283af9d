import type { StorageCall } from '@berth/server-stubs';
import type { BlobStore } from './blob-store.ts';

/** Default path of the upload target. */
export const UPLOAD_PATH = '/upload';
/** Path prefix of download links. */
export const FILES_PATH = '/files';

/** The caller, as returned by the router's security handler. */
export interface StorageCaller {
  /** Environment that the credentials belong to. */
  readonly env: string;
  /** Recorded in grants and `onChange`. */
  readonly id: string;
}

export interface StorageOptions {
  /** The file store. */
  readonly blobs: BlobStore;
  /** Signs grants and links. Its keys give access to every file. */
  readonly signer: Signer;
  /** Returns the bucket of an environment, or `undefined` if there is none. Called for each request. */
  readonly bucketOf: (env: string) => string | undefined;
  /**
   * Public URL of this server, without a trailing slash, such as `https://files.example.com`. Upload
   * URLs and links start with it. A function gets the request. It must not trust every `Host`, because
   * links send users there.
   */
  readonly publicUrl: string | ((request: StorageCall['request']) => string);
  /** Path and query of upload URLs, below `publicUrl`. Default: `/upload`. */
  readonly uploadTarget?: string | undefined;
  /** Text to append to the query of each link, such as `session=a`. Default: none. */
  readonly linkQuery?: string | undefined;
  readonly limits?: { readonly [Name in keyof StorageLimits]?: number | undefined } | undefined;
  /** Whether browsers show a downloaded file instead of saving it. Default: false. */
  readonly inline?: boolean | undefined;
  /** Returns the time in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /**
   * Called before each use of a grant or link. Throws an `UploadError` to reject it, for example because it was
   * revoked. Default: all are accepted.
   * `request` is the one that was passed to `upload` or `download`.
   */
  readonly authorizeUse?: ((use: SignedUse, request: object) => Promise<void>) | undefined;
  /** Called after each change to a file. Must not throw. */
  readonly onChange?: ((change: FileChange) => void) | undefined;
  /**
   * Called with each error from the store that callers cannot fix: in a batch, once per distinct message. Callers get
   * a fixed message. During an upload, other errors, such as bugs, go to `onError` of the upload router. Must not throw.
   */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Limits in whole seconds. The defaults come from the contract. */
export interface StorageLimits {
  /** Lifetime of an upload grant. Default: 900. */
  readonly grantSeconds: number;
  /** Lifetime of a link if `maxAge` is omitted. Default: 600, or `linkMaxSeconds` if that is less. */
  readonly linkSeconds: number;
  /** Maximum lifetime of a link. Default: 604800. */
  readonly linkMaxSeconds: number;
}

/** What callers get a signature for. */
export const SIGNED_KINDS = ['grant', 'link'] as const;

/** A grant or link that is about to be used. Its signature is valid, and it has not expired. */
export interface SignedUse {
  readonly kind: (typeof SIGNED_KINDS)[number];
  /** `storeFileID` of a grant, or `sign` of a link. */
  readonly id: string;
  readonly env: string;
  /** ID of the caller who requested it. */
  readonly caller: string;
}

/** A change to a file, for audit logs. A move is a copy and a deletion. */
export interface FileChange {
  readonly action: 'upload' | 'copy' | 'delete';
  readonly env: string;
  /** Path of the file that was written or deleted. */
  readonly path: string;
  /** Source of a copy. */
  readonly from?: string;
  /** ID of the caller. For uploads, the caller who requested the grant. */
  readonly caller: string;
  /** Number of bytes written. */
  readonly bytes?: number;
  readonly requestId: string;
}

/** Signs lists of values, so that grants and links need not be stored. `createSigner` in `./node` creates one. */
export interface Signer {
  /** Returns a signature in lowercase hex, which is different for each list. */
  sign(values: readonly string[]): string | Promise<string>;
  /** Checks in constant time whether the signature belongs to these values. */
  verify(values: readonly string[], signature: string): boolean | Promise<boolean>;
}
