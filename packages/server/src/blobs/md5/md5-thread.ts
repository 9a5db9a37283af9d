import { Worker } from 'node:worker_threads';
import type { Md5Answer, Md5Request } from './md5-message.ts';
import { giveBackSlab, toTransferList } from './slab.ts';

/** Hears of the answers for one content, or that there will be none. */
interface Md5Listener {
  /** One more slab was read. */
  read(): void;
  digest(digest: string): void;
  fail(error: Error): void;
}

/** A thread that hashes contents beside the event loop. It keeps no process alive that waits for nothing. */
export interface Md5Thread {
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
