import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { StartError } from './start-error.ts';

/**
 * Asks a target for any answer at all, so that a dead address, a TLS error or a server that hangs ends
 * the run at once and not call by call.
 *
 * @param timeout longest wait in milliseconds
 * @throws StartError with one sentence that says what is wrong
 */
export async function probe(
  what: string,
  url: string,
  host: string | undefined,
  timeout: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const call = request(url, { headers: host ? { host } : {}, agent: false }, () => resolve());
  const timer = setTimeout(
    () => reject(new StartError(`The ${what} at ${url} gives no answer within ${timeout} ms.`)),
    timeout,
  );
  call.once('error', (error: NodeJS.ErrnoException) =>
    reject(new StartError(`The ${what} at ${url} cannot be reached: ${toText(error)}.`)),
  );
  call.end();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    call.once('error', () => {});
    call.destroy();
  }
}

/** Errors of several tried addresses (Happy Eyeballs) have no message of their own. */
function toText(error: NodeJS.ErrnoException): string {
  return error.message || error.code || 'unknown error';
}
