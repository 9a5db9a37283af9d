/** Number of parts of a wait. A machine that is suspended for a while uses up only one of them. */
const PARTS = 10;

/**
 * Starts a timer that leaves out most of the time in which this process could not run, so that a busy
 * machine is not mistaken for an unresponsive target. The delay is split into short intervals, and data that
 * has arrived is read between them.
 *
 * @returns a function that stops the timer
 */
export function startTimer(milliseconds: number, onEnd: () => void): () => void {
  let parts = 0;
  const timer = setInterval(() => {
    parts += 1;
    if (parts < PARTS) return;
    clearInterval(timer);
    onEnd();
  }, milliseconds / PARTS);
  return () => clearInterval(timer);
}

/** Resolves to the value, or rejects with `late` if that takes longer than `milliseconds`. */
export async function within<Value>(
  milliseconds: number,
  value: Promise<Value>,
  late: Error,
): Promise<Value> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const stop = startTimer(milliseconds, () => reject(late));
  return Promise.race([value, end]).finally(stop);
}
