import type { BlobKey } from './blob-store.ts';

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

/** The store cannot do its work now: unreachable, full, or failing. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
