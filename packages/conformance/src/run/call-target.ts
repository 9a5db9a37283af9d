import type { Api } from '../contract/apis.ts';
import { NetworkFault } from '../http/network-fault.ts';
import { Throttled } from '../http/throttled.ts';
import { StartError } from '../start-error.ts';

/** How often a call is made where its connection breaks. */
const ATTEMPTS = 5;
const NAMES: Record<Api, string> = { gateway: 'gateway', storage: 'storage API' };
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/**
 * Makes a call that the run needs before its first check, again where the connection breaks.
 *
 * @throws StartError with one sentence that says what is wrong
 */
export async function callTarget<Answer>(
  api: Api,
  url: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const isBroken = error instanceof NetworkFault && BROKEN.has(error.code);
      if (isBroken && attempt < ATTEMPTS) continue;
      if (!(error instanceof NetworkFault) && !(error instanceof Throttled)) throw error;
      const option = `${api}Url`;
      const what = `the ${NAMES[api]} at ${url} cannot be reached`;
      throw new StartError(`${option}: ${what}: ${error.message}.`, option);
    }
  }
}
