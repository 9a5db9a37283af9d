import { setTimeout as wait } from 'node:timers/promises';

/** Looks again and again until something holds; a test that waits in vain ends by its time limit. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await wait(10);
}
