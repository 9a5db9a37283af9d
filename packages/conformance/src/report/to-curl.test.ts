import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { listen } from '../../../../scripts/testing/listen.ts';
import type { SentRequest } from '../http/exchange.ts';
import { toCurl, toRepeat } from './to-curl.ts';

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
  { ...get, method: 'POST', url: '/empty', headers: { 'Content-Length': '0' } },
  {
    ...get,
    method: 'POST',
    url: '/chunks',
    headers: { 'Transfer-Encoding': 'chunked' },
    body: ` {\r\n\t"it's" : "\\u0041 \u0007\u202e\\0" }\n`,
  },
];

describeOn('curl', 'a command', () => {
  test.each(REQUESTS)('reproduces $method $url', async (request) => {
    let seen: IncomingMessage | undefined;
    let body: Buffer | undefined;
    const server = createServer(async (incoming, response) => {
      seen = incoming;
      body = await buffer(incoming);
      response.end();
    });
    await using target = await listen(server);
    await promisify(execFile)('sh', ['-c', toCurl({ ...request, url: target.url + request.url })]);
    expect(seen).toMatchObject({ method: request.method, url: request.url });
    const encoding = request.bodyEncoding === 'base64' ? 'base64' : 'utf8';
    expect(body).toEqual(Buffer.from(request.body, encoding));
    const given = Object.entries(request.headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    expect(seen?.headers).toMatchObject(Object.fromEntries(given));
    if (!('Content-Type' in request.headers)) {
      expect(seen?.headers).not.toHaveProperty('content-type');
    }
  });

  test('sends a request to be repeated on the same connection', async () => {
    const ports: unknown[] = [];
    const server = createServer(({ socket, method }, response) => {
      ports.push([method, socket.remotePort]);
      response.end();
    });
    await using target = await listen(server);
    const url = `${target.url}/a?b=c`;
    const command = toRepeat({
      message: '',
      where: '',
      request: { ...get, method: 'POST', url, body: 'a\n' },
      onOneConnection: true,
    });
    await promisify(execFile)('sh', ['-c', command]);
    expect(ports).toEqual([ports[0], ports[0]]);
  });
});
