import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks again and again until the answer is as wanted, at most for `most` milliseconds.
 *
 * @returns the last answer, wanted or not
 */
export async function poll<Answer>(
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
  { most, every }: { most: number; every: number },
): Promise<Answer> {
  const end = performance.now() + most;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer) || performance.now() + every > end) return answer;
    await wait(every);
  }
}
