/** Number of parts of a wait. A machine that is suspended for a while uses up only one of them. */
const PARTS = 10;

/**
 * Starts a timer that leaves out most of the time in which this process could not run, so that a busy
 * machine is not mistaken for an unresponsive target. The delay is split into short intervals, and data that
 * has arrived is read between them.
 *
 * @param milliseconds at least 1
 * @returns a function that stops the timer
 */
export function startTimer(milliseconds: number, onEnd: () => void): () => void {
  let parts = 0;
  const next = () => {
    parts += 1;
    if (parts > PARTS) onEnd();
    else timer = setTimeout(next, milliseconds / PARTS);
  };
  let timer = setTimeout(next, 0);
  return () => clearTimeout(timer);
}

/** Resolves to the value, or rejects with `late` if that takes longer than `milliseconds`. */
export async function within<Value>(
  milliseconds: number,
  value: Value | Promise<Value>,
  late: Error,
): Promise<Value> {
  let stop = () => {};
  const end = new Promise<never>((_, reject) => {
    stop = startTimer(milliseconds, () => reject(late));
  });
  try {
    return await Promise.race([value, end]);
  } finally {
    stop();
  }
}
