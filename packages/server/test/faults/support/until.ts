import { setTimeout as wait } from 'node:timers/promises';

/** Polls until a condition holds; otherwise the test times out. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await wait(10);
}
