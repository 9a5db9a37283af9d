import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listening, listen } from '../../../../scripts/testing/listen.ts';
import { get, post, type Started, startServices } from './start-services.ts';

let real: Listening;
let started: Started;
const closed: Promise<void>[] = [];
let hang = (_: ServerResponse) => {};

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', method, headers } = request;
  if (url.endsWith('/hang')) {
    closed.push(once(response, 'close').then(() => {}));
    return hang(response);
  }
  const body = await buffer(request);
  response.writeHead(207, {
    'content-type': 'application/json',
    'set-cookie': ['a=1', 'b=2'],
    'x-hop': 'gone',
    connection: 'x-hop',
  });
  response.end(JSON.stringify({ method, url, headers, length: body.length }));
}

beforeAll(async () => {
  real = await listen(createServer((request, response) => void respond(request, response)));
  started = await startServices({
    real: { proxy: `${real.url}/base/`, routes: { 'GET /own': { text: 'own' } } },
    gone: { proxy: 'http://127.0.0.1:1' },
  });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await real.close();
});

test('calls without a route go to the real service, byte for byte', async () => {
  expect(await (await get(started, 'real/own')).text()).toBe('own');
  const response = await post(started, 'real/a%2Fb//c?x=%zz', 'body', { te: 'trailers' });
  expect(response.status).toBe(207);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(response.headers.has('x-hop')).toBe(false);
  expect(response.headers.get('x-svc-upstream-status-code')).toBe('207');
  const { method, url, headers, length } = await response.json();
  expect([method, url, length]).toEqual(['POST', '/base/a%2Fb//c?x=%zz', 4]);
  expect(headers).toMatchObject({
    host: `127.0.0.1:${real.port}`,
    'x-forwarded-host': `127.0.0.1:${started.port}`,
    'x-forwarded-proto': 'http',
    'x-request-id': response.headers.get('x-request-id'),
    'content-length': '4',
  });
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('te');
});

test('the call is aborted if the caller disconnects', async () => {
  const stop = new AbortController();
  const begun = new Promise<void>((resolve) => {
    hang = () => resolve();
  });
  const call = get(started, 'real/hang', { signal: stop.signal }).catch(() => {});
  await begun;
  stop.abort();
  await Promise.all([call, ...closed]);
});

test('a service that cannot be reached is reported by its address', async () => {
  const response = await get(started, 'gone/a');
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({
    code: 'SERVICE_LB_STATUS_ABNORMAL',
    message: 'The real service http://127.0.0.1:1 cannot be reached: ECONNREFUSED.',
  });
});
