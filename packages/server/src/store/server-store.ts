import type { Readable } from 'node:stream';
import type { BlobInfo, BlobKey, BlobStore, WriteOptions } from '@berth/storage';
import type { VerifiedBlob } from './verified-blob.ts';

/**
 * The files of all environments, which are the storage API's only state. When a promise is fulfilled, the change is
 * durable.
 */
export interface ServerStore extends BlobStore {
  write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo>;
  open(key: BlobKey): Promise<VerifiedBlob | undefined>;
  /**
   * Removes leftovers of failed uploads and returns how many it removed. Call it every few minutes. Uploads of this
   * process are never removed, and those of others once they are abandoned.
   */
  sweep(): Promise<number>;
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Environments are host name labels (D12): no name of one leads into another, as a folder or as a part of a key. */
export function assertEnvironment(env: string): void {
  if (!/^[A-Za-z0-9-]+$/.test(env)) throw new TypeError(`"${env}" is not an environment name.`);
}
