import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import {
  giveBackSlab,
  type Md5Answer,
  type Md5Request,
  SLAB_BYTES,
  type Slab,
  takeSlab,
  toTransferList,
} from './slab.ts';

/** A thread that hashes contents beside the event loop. It keeps no process alive that waits for nothing. */
interface Md5Thread {
  /** Contents that are being hashed. */
  readonly load: number;
  readonly isGone: boolean;
  add(id: number, listener: Md5Listener): void;
  post(request: Md5Request): void;
  remove(id: number): void;
}

/** The worker stands beside this file, as source and as built: each with its own ending. */
const WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './md5-worker.ts' : './md5-worker.js',
  import.meta.url,
);

/** One core is left to the event loop; beyond four the disk is slower than they are. */
const MOST = Math.min(4, Math.max(1, availableParallelism() - 1));

let threads: Md5Thread[] = [];

/** Full slabs that may wait for the thread, for each content. */
const MOST_WAITING = 3;

let lastId = 0;

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

/** The thread with the least to do. They are started when they are needed, and kept for the process. */
function findMd5Thread(): Md5Thread {
  threads = threads.filter(({ isGone }) => !isGone);
  const idlest = threads.toSorted((one, other) => one.load - other.load)[0];
  if (idlest !== undefined && (idlest.load === 0 || threads.length >= MOST)) return idlest;
  const thread = createMd5Thread();
  threads.push(thread);
  return thread;
}

/** Hears of the answers for one content, or that there will be none. */
interface Md5Listener {
  /** One more slab was read. */
  read(): void;
  digest(digest: string): void;
  fail(error: Error): void;
}

export function createMd5Thread(): Md5Thread {
  // Options of the process, such as a preloaded module or an inspector, are not meant for it.
  const worker = new Worker(WORKER_URL, { name: 'md5', execArgv: [], env: {} });
  const listeners = new Map<number, Md5Listener>();
  let isGone = false;
  worker.unref();

  worker.on('message', (answer: Md5Answer) => {
    const listener = listeners.get(answer.id);
    if (answer.kind === 'digest') listener?.digest(answer.digest);
    else {
      // Also where the content was given up meanwhile.
      giveBackSlab(answer.slab);
      listener?.read();
    }
  });
  const fail = (error: Error) => {
    isGone = true;
    const waiting = [...listeners.values()];
    listeners.clear();
    for (const listener of waiting) listener.fail(error);
  };
  worker.on('error', (error: Error) => fail(error));
  worker.on('exit', (code) => fail(new Error(`The MD5 worker has ended with code ${code}.`)));

  return {
    get load() {
      return listeners.size;
    },
    get isGone() {
      return isGone;
    },
    add(id, listener) {
      if (listeners.size === 0) worker.ref();
      listeners.set(id, listener);
    },
    post: (request) =>
      worker.postMessage(request, request.kind === 'update' ? toTransferList(request.slab) : []),
    remove(id) {
      if (listeners.delete(id) && listeners.size === 0) worker.unref();
    },
  };
}
