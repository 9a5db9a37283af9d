import { expect, test } from 'vitest';
import { HANDSHAKE, sendRaw, statusesOf } from '../support/send-raw.ts';
import { startDeployment } from './support/start-deployment.ts';

const HOST = 'Host: dev.localhost\r\n';
const smuggled = (token: string) =>
  `GET /v1/cloudrun/hello/smuggled HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n\r\n`;

/** Requests that are rejected before their body is read, on every surface. */
const REFUSED = [
  'POST /v1/cloudrun/hello',
  'POST /v1/cloudrun/nobody',
  'POST /v1/nowhere',
  'DELETE /v1/cloudrun/hello',
  'POST /api/v2/envs/dev/storages:batchDelete',
  'GET /api/v2/envs/dev/storages:batchDelete',
  'POST /api/v2/nowhere',
  'POST /upload',
  'PUT /upload',
  'POST /files/dev/files/a',
  'GET /files/dev/files/a',
  'OPTIONS /upload',
  'HEAD /v1/cloudrun/hello',
];

test('the body of a refused request never becomes the next one', async () => {
  const { port, token, seen } = await startDeployment();
  const body = smuggled(token);
  for (const line of REFUSED) {
    const text = await sendRaw(
      port,
      `${line} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        `GET /files/last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    );
    // The last one gets a response, unless the refusal closed the connection.
    expect(statusesOf(text).length, line).toBeLessThanOrEqual(2);
    expect(seen, line).toEqual([]);
  }
});

/** Bodies whose end two parsers may see at different places. Most of these are left to Node's strict parser. */
const PAIRS: readonly [string, string, string][] = [
  ['CL.TE', 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
  ['TE.CL', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n'],
  ['TE.TE', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'],
  ['an unknown coding', 'Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'],
  ['a coding after chunked', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
  ['a bare LF', 'X: a\nTransfer-Encoding: chunked\n', '0\r\n\r\n'],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n', 'hello'],
  ['a coding before chunks', 'Transfer-Encoding: gzip, chunked\r\n', '1\r\na\r\n0\r\n\r\n'],
  ['HTTP/1.0 in chunks', 'Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n', '0\r\n\r\n'],
];
const TARGETS = [
  '/v1/cloudrun/hello',
  '/api/v2/envs/dev/storages:batchDelete',
  '/upload',
  '/files/dev/files/a',
];

test('serves absolute targets on every surface', async () => {
  const { port, dev } = await startDeployment();
  await dev.upload('a.txt', 'mine');
  const { pathname, search } = new URL(await dev.link('a.txt'));
  const send = (line: string) =>
    sendRaw(port, `${line} HTTP/1.1\r\n${HOST}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  const base = 'http://dev.localhost';
  expect(await send(`GET ${base}${pathname}${search}`)).toMatch(/^HTTP\/1.1 200 .*mine$/s);
  expect(await send(`POST ${base}/upload`)).toContain('MalformedPOSTRequest');
  expect(await send(`POST ${base}/api/v2/envs/dev/storages:batchDelete`)).toContain('SIGN_PARAM');
  expect(await send(`GET ${base}/v1/cloudrun/hello`)).toContain('MISSING_CREDENTIALS');
});

test('no surface accepts what is smuggled', async () => {
  const { port, token, seen, lines } = await startDeployment();
  for (const [name, headers, body] of PAIRS) {
    const version = name.startsWith('HTTP/1.0') ? '1.0' : '1.1';
    for (const target of TARGETS) {
      const head = `POST ${target} HTTP/${version}\r\n${HOST}Authorization: Bearer ${token}\r\n${headers}\r\n`;
      const close = `GET /files/last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
      const [first = 400] = statusesOf(await sendRaw(port, head + body + smuggled(token) + close));
      // Closing the connection without a response is a refusal too.
      expect(Math.floor(first / 100), `${name} ${target}`).toBe(4);
      expect(seen, name).toEqual([]);
    }
  }
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test.each(['GET', 'upgrade'])('a %s with too many headers reaches nobody', async (kind) => {
  const { port, token, seen } = await startDeployment();
  const extra = Array.from({ length: 300 }, (_, index) => `X-${index}: 1\r\n`).join('');
  const text = await sendRaw(
    port,
    `GET /v1/cloudrun/hello HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n` +
      `${kind === 'upgrade' ? HANDSHAKE : ''}${extra}\r\n`,
  );
  expect(statusesOf(text)).toEqual([431]);
  expect(seen).toEqual([]);
});

const HOSTILE_TARGETS = [
  'GET /files/../store/secret',
  'GET /..%2f..%2fetc/passwd',
  'GET /files/%2e%2e/secret',
  'GET /files/dev/files/%2e%2e%2f%2e%2e%2fsecret',
  'GET /files/dev/files/a%00',
  'GET /files/dev/files/%c0%ae%c0%ae/secret',
  'GET /files/__proto__/files/a',
  'GET /files/dev/files/secret?__proto__=1&sign=__proto__',
  'GET /files\\..\\secret',
  'GET file:///etc/passwd',
  'GET http://127.0.0.1/files/../secret',
  'POST /api/v2/envs/../envs/dev/storages:batchDelete',
  'POST /api/v2/envs/dev%2f..%2fqa/storages:batchDelete',
  'GET /v1/cloudrun/../../files/secret',
  'GET /v1/cloudrun/..%2fhello',
];

test('no target leads out of its surface', async () => {
  const { port, lines, seen } = await startDeployment();
  for (const target of HOSTILE_TARGETS) {
    const response = await sendRaw(
      port,
      `${target} HTTP/1.1\r\nHost: dev.localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect(response, target).toMatch(/^HTTP\/1\.1 4/);
    expect(response).not.toMatch(/root:|hush-hush/);
  }
  expect(seen).toEqual([]);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});
