import { BerthError, type CallInfo, networkError } from '../errors.ts';
import { MAX_TIMER } from '../timers.ts';

/** The progress of an upload or download. */
export interface Progress {
  /** Number of bytes transferred so far. An upload starts again at 0 with each attempt. */
  readonly loaded: number;
  /** Number of bytes to transfer; `undefined` if unknown. */
  readonly total: number | undefined;
}

/** Options that uploads and downloads have in common. */
export interface TransferOptions {
  /** Longest pause in an upload or download, in milliseconds. `0`: no limit. Default: 65,000. */
  readonly idle?: number | undefined;
  /** Called with the number of bytes transferred so far. If it throws, the transfer ends with that error. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export type IdleWatch = ReturnType<typeof watchIdle>;

/** Watches the progress of a transfer. Nothing is limited until `restart` is called. */
export function watchIdle(
  idle: number,
  caller: AbortSignal | undefined,
  failure: string,
  info: CallInfo,
) {
  const expiry = new AbortController();
  /** Aborts if there is no progress, or if the caller aborts. */
  const signal: AbortSignal = caller ? AbortSignal.any([caller, expiry.signal]) : expiry.signal;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const expire = () => {
    const summary = `${failure}: no progress for ${idle} ms`;
    expiry.abort(new BerthError('timeout', summary, { info, retryable: true }));
  };
  const restart = (extra = 0) => {
    pause();
    if (idle) timer = setTimeout(expire, Math.min(idle + extra, MAX_TIMER));
  };
  return {
    idle: Math.min(idle, MAX_TIMER),
    signal,
    /** Starts the time limit, unless it is running. */
    start() {
      if (!timer) restart();
    },
    /** Starts the time limit again, with extra time in milliseconds if necessary. */
    restart,
    pause,
    expire,
    /** Ends everything that listens to the signal. */
    stop() {
      pause();
      expiry.abort();
    },
    toError: (cause: unknown) => networkError(failure, info, cause),
  };
}

/**
 * Reads the body of a response. Ends with an error if it breaks, or if it makes no progress while its reader waits. Until
 * the first read, it keeps the response: Node cancels the unread body of a garbage-collected response.
 */
export async function* readBody(response: Response, watch: IdleWatch) {
  const { signal } = watch;
  const reader = response.body?.getReader();
  // Also ends a read that waits.
  signal.addEventListener('abort', () => reader?.cancel(signal.reason).catch(() => {}));
  while (reader) {
    watch.restart();
    const { value } = await reader.read().catch((error: unknown) => {
      signal.throwIfAborted();
      throw watch.toError(error);
    });
    watch.pause();
    signal.throwIfAborted();
    if (!value) return;
    yield value;
  }
}
