import { inspect } from 'node:util';
import { defaultWireProfile, type StorageHandlers, type UploadHandlers } from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Caller } from '../auth/caller.ts';
import { createFiles, type FilesListener } from './create-files.ts';
import { createOperations } from './operations.ts';
import { createGrants, createLinks } from './signing.ts';

import type { StorageContext, StorageLimits, StorageOptions } from './storage-context.ts';

import { createUploadFile } from './upload-file.ts';

/** The storage API of a server, in three parts. */
export interface Storage {
  /** For `createStorageRouter`. */
  readonly storage: StorageHandlers<Caller>;
  /** For `createUploadRouter`, which is to be mounted at `/upload`. */
  readonly upload: UploadHandlers;
  /** Answers `/files/…`. */
  readonly files: FilesListener;
}

const { limits } = defaults;

const LIMITS: StorageLimits = {
  grantSeconds: limits.grantSeconds.value,
  linkSeconds: limits.linkSeconds.value,
  linkMinSeconds: limits.linkMinSeconds.value,
  linkMaxSeconds: limits.linkMaxSeconds.value,
};

/**
 * Makes the storage API over a store of files. It keeps nothing: grants and links are signed and carry
 * all they need, so servers with the same store and the same keys can stand in for each other.
 *
 * @throws TypeError for keys that could be guessed
 *
 * @example
 * const blobs = await createFileBlobStore({ root: './data' });
 * const { storage, upload, files } = createStorage({
 *   blobs,
 *   keys: [readFileSync('link.key')],
 *   bucketOf: (env) => (env === 'dev' ? 'files' : undefined),
 *   publicUrl: 'https://files.example.com',
 * });
 */
export function createStorage(options: StorageOptions): Storage {
  const context = toContext(options);
  return {
    storage: createOperations(context),
    upload: { uploadFile: createUploadFile(context) },
    files: createFiles(context, options.cors),
  };
}

function toContext({
  blobs,
  keys,
  bucketOf,
  publicUrl,
  limits: given,
  wireProfile = defaultWireProfile,
  redirectLinks = true,
  now = Date.now,
  onChange = () => {},
  onRefusal = () => {},
  onError = (error) => process.stderr.write(`${inspect(error)}\n`),
}: StorageOptions): StorageContext {
  return {
    blobs,
    grants: createGrants(keys, now),
    links: createLinks(keys, now),
    limits: { ...LIMITS, ...given },
    wireProfile,
    redirectLinks,
    now,
    bucketOf,
    publicUrl: typeof publicUrl === 'string' ? () => publicUrl : publicUrl,
    onChange,
    onRefusal,
    onError,
  };
}
