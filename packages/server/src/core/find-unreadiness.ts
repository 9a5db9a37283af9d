import { setTimeout as wait } from 'node:timers/promises';
import type { Unreadiness } from '../admin/create-admin.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

/** A store that takes longer to answer is not one that uploads can be sent to. */
const CHECK_MILLISECONDS = 3_000;

/** Why a server takes no calls; empty where it does. */
export async function findUnreadiness(
  state: 'new' | 'listening' | 'draining',
  blobs: BlobStore,
): Promise<Unreadiness> {
  if (state === 'new') return ['not listening yet'];
  if (state === 'draining') return ['draining'];
  const abort = new AbortController();
  try {
    return await Promise.race([
      blobs.check().then(
        () => [],
        (error: Error) => [`blob store: ${error.message}`],
      ),
      wait(CHECK_MILLISECONDS, ['blob store: no answer'], { signal: abort.signal, ref: false }),
    ]);
  } finally {
    abort.abort();
  }
}
