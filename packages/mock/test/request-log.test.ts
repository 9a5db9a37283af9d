import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { testOn } from '../../../scripts/testing/engines.ts';
import { MockCall } from '../src/call.ts';
import { FaultRules } from '../src/faults/fault-rules.ts';
import { createMock, type LoggedRequest } from '../src/index.ts';
import { control, gateway, storage } from './helpers/calls.ts';
import { askForWebSocket, sendRaw } from './helpers/raw.ts';
import { getLink, upload } from './helpers/upload.ts';

const mock = await createMock({ services: {} });
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const readLog = async (query = '') =>
  (await control(mock, 'GET', `requests${query}`)).json.requests as (LoggedRequest & {
    curl: string;
  })[];

test('logs a call with its result', async () => {
  const post = { method: 'POST', path: '/v1/cloudrun/echo/a?x=1', body: '{"a":"中\uFFFD"}' };
  const { headers } = await gateway(mock, post);
  const logged = {
    id: headers['x-request-id'],
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    session: '',
    surface: 'gateway',
    operationId: 'cloudrun-post',
    service: 'echo',
    method: 'POST',
    target: '/v1/cloudrun/echo/a?x=1',
    body: '{"a":"中\uFFFD"}',
    status: 200,
    ms: expect.any(Number),
    faults: [],
  };
  expect(await readLog()).toMatchObject([logged]);
  expect(session.requests()).toMatchObject([{ ...logged, reason: undefined }]);
  await sendRaw(mock, 'GET /v1/cloudrun/echo HTTP/1.0\r\n\r\n');
  const [, withoutHeaders] = await readLog();
  expect(withoutHeaders?.headers).toEqual([]);
  expect(withoutHeaders?.curl).not.toContain("';'");
});

test('keeps a body of many small chunks, but not one that is too long', async () => {
  for (const count of [3_000, 20_000]) {
    const body = Readable.from(Array(count).fill('x'));
    await gateway(mock, { method: 'POST', path: '/v1/cloudrun/echo', body });
  }
  const bodies = (await readLog()).map(({ body }) => body?.length);
  expect(bodies).toEqual([3_000, undefined]);
});

describe('the reason', () => {
  test('says what is invalid', async () => {
    await storage(mock, 'batchDelete', { fileList: 5 });
    await gateway(mock, { path: '/v1/cloudrun/hello', headers: { authorization: '' } });
    await gateway(mock, { path: '/v1/cloudrun/none' });
    await fetch(`${mock.url}/files/none`);
    const link = await getLink(mock, await upload(mock, 'a.txt', 'x'));
    session.clock.advance(8 * 24 * 3_600_000);
    await fetch(link);
    await fetch(mock.url, { method: 'POST', body: 'x' });
    const rejected = (await readLog()).filter(({ reason }) => reason !== undefined);
    expect(rejected.map(({ status, reason }) => [status, reason])).toEqual([
      [400, expect.stringMatching(/fileList must be an array/)],
      [401, expect.stringMatching(/Authorization/)],
      [404, expect.stringMatching(/^SERVICE_NOT_FOUND: .*none/)],
      [403, expect.stringMatching(/^SignatureDoesNotMatch: The link is invalid/)],
      [403, expect.stringMatching(/^AccessDenied: The link has expired/)],
      [400, expect.stringMatching(/^MalformedPOSTRequest: /)],
    ]);
  });

  test.each([
    ['http://localhost:5173', undefined],
    [
      'https://app.example.com',
      expect.stringMatching(/add this origin to the option origins \(--origins\)\.$/),
    ],
  ])('explains why a browser does not let a page read a response: %s', async (origin, reason) => {
    const headers = { origin };
    await gateway(mock, { method: 'OPTIONS', path: '/v1/cloudrun/hello', headers });
    await gateway(mock, { path: '/v1/cloudrun/hello', headers });
    const logged = [
      { status: 204, reason },
      { status: 200, reason },
    ];
    await expect.poll(() => session.requests()).toMatchObject(logged);
  });
});

test('the log contains no credentials', async () => {
  const headers = { authorization: 'Bearer topsecret', cookie: 'a=topsecret' };
  await gateway(mock, { path: '/v1/cloudrun/hello', headers });
  const protocol = { 'sec-websocket-protocol': 'chat, berth.bearer.topsecret' };
  await gateway(mock, { path: '/v1/cloudrun/hello', headers: protocol });
  await gateway(mock, {
    path: '/v1/cloudrun/hello?access_token=topsecret&apiKey=topsecret&X_API_KEY=topsecret',
    headers: { authorization: 'topsecret x', cookie: 'topsecret x', api_key: 'topsecret' },
  });
  await storage(mock, 'batchDelete', { fileList: [] }, { 'x-svc-sessiontoken': 'topsecret' });
  const link = await getLink(mock, await upload(mock, 'a.txt', 'content'));
  await fetch(link, { headers: { referer: link } });
  await fetch(link.replace('sign=', 'si%67n='));
  const text = JSON.stringify([await readLog(), session.requests()]);
  const sign = new URL(link).searchParams.get('sign') as string;
  expect(session.requests()).toHaveLength(9);
  for (const secret of ['topsecret', sign, 'q-signature']) expect(text).not.toContain(secret);
});

const part = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test.each([
  ['api_key=topsecret&x=1&access%5Ftoken=topsecret', 'api_key=***&x=1&access%5Ftoken=***'],
  [
    '{"x":["a",":"], "API-Key" : "top\\"secret","y":"sign"}',
    '{"x":["a",":"], "API-Key" : "***","y":"sign"}',
  ],
  ['[{"accessToken":12345678},{"sign":""}]', '[{"accessToken":"***"},{"sign":""}]'],
  ['{"api_key":"topsecret', '{"api_key":"***"'],
  [
    `${part('a', 'b')}${part('api_key', 'top\r\nsecret')}--x--`,
    `${part('a', 'b')}${part('api_key', '***')}--x--`,
  ],
])('the log contains no credentials of a body: %j', async (body, redacted) => {
  await gateway(mock, { method: 'POST', path: '/v1/cloudrun/echo', body });
  expect(session.requests()).toMatchObject([{ body: redacted }]);
  const [logged] = await readLog();
  expect(logged?.curl).not.toContain('secret');
});

test('a pending call is in the log immediately', async () => {
  session.faults.put('slow', 'latency=3600000,times=1');
  const stop = new AbortController();
  const pending = fetch(`${mock.url}/files/none`, { signal: stop.signal }).catch(() => {});
  const logged = { surface: 'link', faults: ['slow'], status: undefined, ms: undefined };
  await expect.poll(() => session.requests()).toMatchObject([logged]);
  stop.abort();
  await pending;
  await expect.poll(() => session.requests()[0]?.ms).toBeDefined();
  expect(session.requests()).toMatchObject([{ status: undefined }]);
});

test('an internal error has the ID and the reason of its call', async () => {
  vi.spyOn(FaultRules.prototype, 'selectEffects').mockImplementation(() => {
    throw new Error('a bug');
  });
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const { status, headers } = await gateway(mock, { path: '/v1/cloudrun/hello' });
  const reason = expect.stringMatching(/^SYS_ERR: Internal error in the mock/);
  const logged = { id: headers['x-request-id'], status, reason };
  expect([status, session.requests()]).toMatchObject([500, [logged]]);
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ message: 'a bug' }));
});

test('keeps the latest 2,000 calls of all sessions', async () => {
  const toCall = (id: string) =>
    `GET /v1/cloudrun/hello HTTP/1.1\r\nHost: localhost\r\nX-Mock-Session: ${id}\r\n\r\n`;
  await sendRaw(mock, toCall('first') + toCall('').repeat(2_000));
  expect(mock.session('first').requests()).toEqual([]);
  expect(session.requests()).toHaveLength(2_000);
  const redacted = vi.spyOn(MockCall.prototype, 'headers', 'get');
  onTestFinished(() => redacted.mockRestore());
  expect(await readLog('?limit=2')).toHaveLength(2);
  expect(redacted).toHaveBeenCalledTimes(2);
});

testOn('curl')('the curl command of a call repeats it, without credentials', async () => {
  const body = JSON.stringify({ text: "it's @ $HOME `x` 中" });
  await gateway(mock, {
    method: 'POST',
    path: "/v1/cloudrun/echo/a[1]/../b?x='$HOME'&access_token=any&sign=any",
    headers: { 'accept-encoding': 'gzip', 'content-type': 'application/json', 'x-a': '\'"$HOME' },
    body,
  });
  const [{ curl } = { curl: '' }] = await readLog();
  expect(curl).not.toContain('any');
  expect(curl).toContain('&access_token=***&sign=***');
  await promisify(execFile)('sh', ['-ec', curl]);
  const [first, second] = session.requests();
  const { method, target, status } = first as LoggedRequest;
  expect(second).toMatchObject({ method, target, status, body });
  expect(second?.headers).toContainEqual(['x-a', '\'"$HOME']);
  // curl would not decode the response.
  expect(JSON.stringify(second?.headers)).not.toMatch(/accept-encoding/i);
  const headers = { 'content-length': '1' };
  await gateway(mock, { method: 'HEAD', path: '/v1/cloudrun/echo', headers, body: 'a' });
  await promisify(execFile)('sh', ['-ec', (await readLog()).at(-1)?.curl ?? '']);
  expect(session.requests().at(-1)).toMatchObject({ method: 'HEAD', status: 200 });
  await askForWebSocket(`${mock.url}/v1/cloudrun/echo`);
  expect((await readLog()).at(-1)?.curl).toMatch(/-H 'connection: Upgrade' .*-H 'upgrade: /is);
});
