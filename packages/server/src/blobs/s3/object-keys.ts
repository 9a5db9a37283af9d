import { createHash } from 'node:crypto';
import type { BlobKey } from '../blob-store.ts';

/** S3: "The object key name is a sequence of Unicode characters ... up to 1,024 bytes long." */
const MAX_KEY_BYTES = 1024;
/** What stands before a path takes its part of the key; more than this is a mistake. */
const MAX_PREFIX_BYTES = 512;
/** Names with a dot are no environments, for those are labels of a host name (D12): nothing collides. */
const LONG = '.long';
const UPLOADS = '.uploads';
const LABEL = /^[A-Za-z0-9-]+$/;

/** Where things stand in the bucket. */
export interface ObjectKeys {
  readonly prefix: string;
  /** Folder of uploads that are not whole yet. */
  readonly uploads: string;
  /**
   * `<prefix><env>/<path>`, or `<prefix>.long/<env>/<SHA-256 of the path>` where that were too long. No
   * environment reaches into another one, for its name is one segment.
   */
  of(key: BlobKey): string;
}

export function createObjectKeys(prefix: string): ObjectKeys {
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new TypeError(`The prefix must be at most ${MAX_PREFIX_BYTES} bytes long.`);
  }
  return {
    prefix,
    uploads: `${prefix}${UPLOADS}/`,
    of({ env, path }) {
      if (!LABEL.test(env)) throw new TypeError(`"${env}" cannot be the name of an environment.`);
      const key = `${prefix}${env}/${path}`;
      if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
      const hash = createHash('sha256').update(path).digest('hex');
      return `${prefix}${LONG}/${env}/${hash}`;
    },
  };
}
