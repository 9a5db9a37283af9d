import { setTimeout } from 'node:timers/promises';

/** Calls until there is an answer, for at most `seconds`; gives the milliseconds that it took. */
export async function waitFor(url: string, init: RequestInit, seconds = 20): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    try {
      const answer = await fetch(url, init);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
      return performance.now() - start;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // Whoever asks without a rest takes the processor from who is to answer.
      await setTimeout(1);
    }
  }
  throw new Error(`${url} did not answer within ${seconds} s.`);
}
