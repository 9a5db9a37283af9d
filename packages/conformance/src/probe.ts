import { createCaller } from './http/caller.ts';
import type { Run } from './run/run.ts';
import { StartError } from './start-error.ts';

/**
 * Asks a target for any answer at all, so that a dead address, a TLS error or a server that hangs ends
 * the run at once and not call by call.
 *
 * @throws StartError with one sentence that says what is wrong
 */
export async function probe(what: string, url: string, run: Run): Promise<void> {
  const { origin, pathname } = new URL(url);
  const { agents, pace, signal, settings } = run;
  const caller = createCaller({ agents, pace, signal, timeout: settings.timeout });
  const host = what === 'gateway' ? settings.gatewayHost : undefined;
  try {
    const answer = await caller.open({
      ...{ method: 'GET', origin, target: pathname, body: Buffer.alloc(0) },
      headers: host === undefined ? [] : [['Host', host]],
    });
    answer.close();
  } catch (error) {
    const { message } = error as Error;
    throw new StartError(`The ${what} at ${url} cannot be reached: ${message}.`);
  }
}
