/** A promise that does not outlive the caller: it rejects when `signal` is aborted. */
export function untilAborted<Value>(
  promise: PromiseLike<Value>,
  signal: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', leave);
        resolve(value);
      },
      (error) => {
        signal.removeEventListener('abort', leave);
        reject(error);
      },
    );
  });
}
