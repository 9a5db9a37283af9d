/**
 * Gives what `work` gives, but ends with the reason of the first signal that aborts, also where the
 * work itself does not listen. Nothing stays behind on a signal that lives on.
 */
export function guard<T>(
  work: Promise<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      const signal = signals.find((candidate) => candidate?.aborted);
      if (signal) reject(signal.reason);
    };
    stop();
    for (const signal of signals) signal?.addEventListener('abort', stop);
  });
  return Promise.race([aborted, work]).finally(() => {
    for (const signal of signals) signal?.removeEventListener('abort', stop);
  });
}
