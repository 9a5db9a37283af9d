import type { BlobInfo, BlobKey } from './blob-store.ts';

/** There is no file of this key. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  readonly key: BlobKey;

  constructor(key: BlobKey) {
    super(`There is no file ${key.path}.`);
    this.key = key;
  }
}

/** There is a file of this key already. */
export class BlobExistsError extends Error {
  override readonly name = 'BlobExistsError';
  readonly key: BlobKey;

  constructor(key: BlobKey) {
    super(`There is a file ${key.path} already.`);
    this.key = key;
  }
}

/** A file was to be moved, and is at its destination; but its source could not be removed, and is there as well. */
export class SourceKeptError extends Error {
  override readonly name = 'SourceKeptError';
  /** What was copied. */
  readonly info: BlobInfo;

  constructor(info: BlobInfo, cause: unknown) {
    super('The file was copied, but its source could not be removed.', { cause });
    this.info = info;
  }
}

/** A file is not as it was written: cut off, or with other bytes. To repeat the call does not help. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** The store cannot do its work now: unreachable, full, or failing. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
