import { createHash } from 'node:crypto';
import type { Md5Thread } from './md5-thread.ts';
import { findMd5Thread } from './md5-threads.ts';
import { giveBackSlab, SLAB_BYTES, type Slab, takeSlab } from './slab.ts';

/** The MD5 of a content that comes in pieces. */
export interface Md5 {
  /**
   * Takes the next bytes, by copying them. Undefined where more may come at once; else a promise that
   * is fulfilled when more may come. Whoever does not wait lets the memory grow. Failures are told by
   * `digest` alone.
   */
  update(chunk: Uint8Array): Promise<void> | undefined;
  /** The MD5 in hex. Ends the work: to be called once at most. */
  digest(): Promise<string>;
  /** Lets go of a content that is given up. Harmless at any time. */
  destroy(): void;
}

/** Full slabs that may wait for the thread, for each content. */
const MOST_WAITING = 3;
let lastId = 0;

/**
 * Hashes a content without holding up the event loop: up to 1 MiB is hashed at once when it is
 * whole, more of it in a thread of its own while it comes.
 *
 * @example
 * const md5 = createMd5();
 * try {
 *   for await (const chunk of content) await md5.update(chunk);
 *   return await md5.digest();
 * } finally {
 *   md5.destroy();
 * }
 */
export function createMd5(): Md5 {
  const id = ++lastId;
  const digest = Promise.withResolvers<string>();
  // Told to whoever calls `digest`, and to nobody where the content is given up before.
  digest.promise.catch(() => {});
  let room: PromiseWithResolvers<void> | undefined;
  let thread: Md5Thread | undefined;
  let slab: Slab | undefined;
  let used = 0;
  let waiting = 0;
  let isDone = false;

  const makeRoom = () => {
    room?.resolve();
    room = undefined;
  };
  const end = () => {
    isDone = true;
    if (slab) giveBackSlab(slab);
    slab = undefined;
    thread?.remove(id);
    makeRoom();
  };
  const findThread = (): Md5Thread => {
    if (thread) return thread;
    thread = findMd5Thread();
    thread.add(id, {
      read() {
        waiting--;
        makeRoom();
      },
      digest(text) {
        digest.resolve(text);
        end();
      },
      fail(error) {
        digest.reject(error);
        end();
      },
    });
    return thread;
  };
  const post = () => {
    if (!slab) return;
    findThread().post({ kind: 'update', id, slab, length: used });
    waiting++;
    slab = undefined;
    used = 0;
  };

  return {
    update(chunk) {
      for (let at = 0; at < chunk.length && !isDone; ) {
        if (used === SLAB_BYTES) post();
        slab ??= takeSlab();
        const part = chunk.subarray(at, at + SLAB_BYTES - used);
        new Uint8Array(slab).set(part, used);
        used += part.length;
        at += part.length;
      }
      if (waiting < MOST_WAITING || isDone) return undefined;
      room ??= Promise.withResolvers<void>();
      return room.promise;
    },
    digest() {
      if (isDone) return digest.promise;
      if (thread) {
        post();
        thread.post({ kind: 'digest', id });
      } else {
        const bytes = slab ? new Uint8Array(slab, 0, used) : new Uint8Array();
        digest.resolve(createHash('md5').update(bytes).digest('hex'));
        end();
      }
      return digest.promise;
    },
    destroy() {
      if (isDone) return;
      digest.reject(new Error('The content was given up.'));
      thread?.post({ kind: 'forget', id });
      end();
    },
  };
}
