import { MAX_TIMER } from './budget.ts';
import { BerthError, type CallInfo, networkError } from './errors.ts';

export type IdleWatch = ReturnType<typeof watchIdle>;

/**
 * Limits how long a transfer may make no progress. The limit is off at first: `restart` it when a step begins and after
 * each progress, and `pause` it while the transfer waits for the caller's stream or reader. The creator must `stop` it,
 * even after an error: that ends everything that listens to its signal.
 */
export function watchIdle(
  idle: number,
  caller: AbortSignal | undefined,
  summary: string,
  info: CallInfo,
) {
  const expiry = new AbortController();
  /** Aborts if there is no progress, if the caller aborts, or when the watch stops. */
  const signal: AbortSignal = caller ? AbortSignal.any([caller, expiry.signal]) : expiry.signal;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => clearTimeout(timer);
  const expire = () => {
    const message = `${summary}: no progress for ${idle} ms`;
    expiry.abort(new BerthError('timeout', message, { info, retryable: true }));
  };
  return {
    signal,
    restart() {
      pause();
      if (idle) timer = setTimeout(expire, Math.min(idle, MAX_TIMER));
    },
    pause,
    stop() {
      pause();
      expiry.abort();
    },
    toNetworkError: (cause: unknown) => networkError(summary, info, cause),
  };
}

/**
 * Reads the body of a response. Ends with an error if it is interrupted, or makes no progress while its reader waits.
 * Until the first read, it keeps the response: Node cancels the unread body of a garbage-collected response.
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
      throw watch.toNetworkError(error);
    });
    watch.pause();
    signal.throwIfAborted();
    if (!value) return;
    yield value;
  }
}
