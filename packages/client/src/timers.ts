/** Timers with a longer delay fire at once. In milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Waits for a promise, or rejects with the reason of the signal, even if the promise never settles. */
export async function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    // A signal with a listener is kept in memory as long as the caller's signal.
    signal?.removeEventListener('abort', stop);
  }
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER));
  });
  await untilAborted(over, signal).finally(() => clearTimeout(timer));
}
