import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { SentRequest } from '../http/exchange.ts';
import { toCurl } from './to-curl.ts';

const get: SentRequest = { method: 'GET', url: 'http://a.example/', headers: {}, body: '' };

test('a redacted credential becomes a variable named after its header', () => {
  const headers = { Authorization: '[redacted]', 'X-Svc-SessionToken': 'a$b [redacted]' };
  expect(toCurl({ ...get, headers })).toContain('-H "Authorization: $AUTHORIZATION"');
  expect(toCurl({ ...get, headers })).toContain(
    '-H "X-Svc-SessionToken: a\\$b $X_SVC_SESSIONTOKEN"',
  );
});

test('a body with several lines is written on one line, which a terminal can show indented', () => {
  const body = '--b\r\n[redacted]\\\r\n';
  expect(toCurl({ ...get, method: 'POST', body })).toMatch(
    /^printf %b "--b\\\\r\\\\n\$BODY\\\\\\\\\\\\r\\\\n" \| curl -i /,
  );
});

test('a truncated body is marked as truncated', () => {
  expect(toCurl({ ...get, method: 'POST', body: 'a', bodySize: 9 })).toMatch(
    /^# the body has 9 bytes/,
  );
});

const REQUESTS: SentRequest[] = [
  { ...get, url: '/a//b/../%2F/[x]{y}?q=$HOME&r=`id`&s=a+b' },
  {
    ...get,
    method: 'POST',
    url: '/',
    headers: { 'X-Quote': `it's "so" $HOME`, 'X-Empty': '' },
    body: `@it's {"a":"$b"}\n`,
  },
  {
    ...get,
    method: 'PUT',
    url: '/',
    headers: { 'Content-Type': 'a/b' },
    body: Buffer.from([0, 255, 10]).toString('base64'),
    bodyEncoding: 'base64',
  },
  { ...get, method: 'HEAD', url: '/head' },
  { ...get, method: 'POST', url: '/empty', headers: { 'Content-Length': '0' } },
  {
    ...get,
    method: 'POST',
    url: '/chunks',
    headers: { 'Transfer-Encoding': 'chunked' },
    body: ` {\r\n\t"it's" : "\\u0041 \u0007\u202e\\0" }\n`,
  },
];

test.each(REQUESTS)('the curl command reproduces $method $url', async (request) => {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        seen = { incoming, body: Buffer.concat(chunks) };
        response.end();
      });
  }).listen(0, '127.0.0.1');
  let seen: { incoming: import('node:http').IncomingMessage; body: Buffer } | undefined;
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await promisify(execFile)('sh', ['-c', toCurl({ ...request, url: origin + request.url })]);
  } finally {
    server.close();
  }
  const { incoming, body } = seen ?? {};
  expect(incoming).toMatchObject({ method: request.method, url: request.url });
  expect(body).toEqual(
    Buffer.from(request.body, request.bodyEncoding === 'base64' ? 'base64' : 'utf8'),
  );
  const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
  expect(incoming?.headers).toMatchObject(Object.fromEntries(given));
  if (!('Content-Type' in request.headers))
    expect(incoming?.headers).not.toHaveProperty('content-type');
});
