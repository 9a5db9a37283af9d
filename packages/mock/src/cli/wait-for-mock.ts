import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const INFO = '/__mock/api/info';

const PAUSE_MS = 50;

/** Maximum duration of one attempt: Node limits timers to 2^31 ms. */
const MAX_TRY_MS = 60_000;

/**
 * Waits until a mock responds.
 *
 * @param url URL with a port, such as `http://127.0.0.1:4010`. The certificate is not verified
 * @param seconds time limit
 * @returns whether the mock responded in time
 */
export async function waitForMock(url: string, seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  const address = new URL(INFO, url);
  while (true) {
    const left = end - performance.now();
    if (left <= 0) return false;
    if (await isReady(address, left)) return true;
    await sleep(Math.min(PAUSE_MS, Math.max(0, end - performance.now())));
  }
}

function isReady(address: URL, timeout: number): Promise<boolean> {
  const request = address.protocol === 'https:' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(Math.min(Math.ceil(timeout), MAX_TRY_MS));
  return new Promise((resolve) => {
    request(address, { signal, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on('error', () => resolve(false))
      .end();
  });
}
