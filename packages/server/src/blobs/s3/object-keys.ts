import { createHash } from 'node:crypto';
import type { BlobKey } from '../blob-store.ts';

/** S3: "The object key name is a sequence of Unicode characters ... up to 1,024 bytes long." */
const MAX_KEY_BYTES = 1024;
/** The prefix takes its share of the key; a longer one is a mistake. */
const MAX_PREFIX_BYTES = 512;
/** Environments are host name labels (D12) without dots, so nothing collides. */
const LONG = '.long';
const UPLOADS = '.uploads';
const LABEL = /^[A-Za-z0-9-]+$/;

export type ObjectKeys = ReturnType<typeof createObjectKeys>;

export function createObjectKeys(prefix: string) {
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new TypeError(`The prefix must be at most ${MAX_PREFIX_BYTES} bytes long.`);
  }
  return {
    prefix,
    /** Prefix of incomplete uploads. */
    uploads: `${prefix}${UPLOADS}/`,
    /**
     * `<prefix><env>/<path>`, or `<prefix>.long/<env>/<SHA-256 of the path>` if that is too long. No
     * environment can reach into another, because its name is one segment.
     */
    of({ env, path }: BlobKey): string {
      if (!LABEL.test(env)) throw new TypeError(`"${env}" is not a valid environment name.`);
      const key = `${prefix}${env}/${path}`;
      if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
      const hash = createHash('sha256').update(path).digest('hex');
      return `${prefix}${LONG}/${env}/${hash}`;
    },
  };
}
