import type { BlobStore } from '../blobs/blob-store.ts';
import type { Log } from '../log/create-log.ts';

/**
 * Removes what broken uploads left behind, now and then. Litter as old as a grant cannot belong to an
 * upload that may still succeed.
 *
 * @returns ends it
 */
export function keepSwept(blobs: BlobStore, grantSeconds: number, log: Log): () => void {
  const sweep = async () => {
    try {
      const removed = await blobs.sweep(new Date(Date.now() - grantSeconds * 1000));
      if (removed > 0) log.info({ removed }, 'removed what broken uploads left');
    } catch (error) {
      log.warn({ err: error }, 'cannot look for what broken uploads left');
    }
  };
  const timer = setInterval(sweep, grantSeconds * 1000).unref();
  void sweep();
  return () => clearInterval(timer);
}
