import { setTimeout as wait } from 'node:timers/promises';
import type { Unreadiness } from '../admin/create-admin.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

/** A store that takes longer to answer is not one that uploads can be sent to. */
const CHECK_MILLISECONDS = 3_000;

/** Why the APIs of a server take no calls; empty if they do. */
export async function findUnreadiness(
  state: 'new' | 'listening' | 'draining',
  blobs: BlobStore,
): Promise<Unreadiness> {
  if (state !== 'listening') {
    const reasons = [state === 'new' ? 'not listening yet' : 'draining'];
    return { gateway: reasons, storage: reasons };
  }
  const abort = new AbortController();
  try {
    const storage = await Promise.race<readonly string[]>([
      blobs.check().then(
        () => [],
        (error: Error) => [`blob store: ${error.message}`],
      ),
      wait(CHECK_MILLISECONDS, ['blob store: no response'], { signal: abort.signal, ref: false }),
    ]);
    return { gateway: [], storage };
  } finally {
    abort.abort();
  }
}
