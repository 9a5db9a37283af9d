import type { BlobStore } from '../blobs/blob-store.ts';
import type { Log } from '../log/create-log.ts';

const INTERVAL_MILLISECONDS = 10 * 60_000;

/**
 * Removes what broken uploads left behind, now and then.
 *
 * @returns ends it
 */
export function keepSwept(blobs: BlobStore, log: Log): () => void {
  const sweep = async () => {
    try {
      const removed = await blobs.sweep();
      if (removed > 0) log.info({ removed }, 'removed what broken uploads left');
    } catch (error) {
      log.warn({ err: error }, 'cannot look for what broken uploads left');
    }
  };
  const timer = setInterval(sweep, INTERVAL_MILLISECONDS).unref();
  void sweep();
  return () => clearInterval(timer);
}
