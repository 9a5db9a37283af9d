import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import {
  BEARER,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

const UNDERSCORES = {
  ...acme,
  storageHeaders: {
    authorization: 'X_Own_Authorization',
    sessionToken: 'X_Own_SessionToken',
    timestamp: 'X_Own_TimeStamp',
  },
};

/** A gateway in front of a service that records its requests. */
async function startRecorder(options = {}) {
  const seen: { request: IncomingMessage; body: Buffer }[] = [];
  const { origin } = await startService(async (request, response) => {
    seen.push({ request, body: await buffer(request) });
    response.end('ok');
  });
  return { seen, origin, ...(await startGateway(toService([origin]), options)) };
}

it('forwards the caller to the service, and no secrets', async () => {
  const { seen, base, origin } = await startRecorder();
  const { headers } = await send(base, HELLO, {
    headers: {
      host: 'dev.example:81',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      'x-real-ip': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      connection: 'close, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'x-request-id': 'mine',
      cookie: 'a=b',
    },
  });
  expect(seen[0]?.request.headers).toEqual({
    host: origin.slice('http://'.length),
    connection: 'keep-alive',
    cookie: 'a=b',
    'x-request-id': headers['x-request-id'],
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'dev.example:81',
  });
});

it('removes other spellings of the headers that it sets', async () => {
  const { seen, base } = await startRecorder();
  const headers = {
    X_Forwarded_For: '10.0.0.1',
    'X-Forwarded_Proto': 'https',
    X_Real_IP: '10.0.0.1',
    X_Request_Id: 'mine',
    'x_request-id': 'mine',
    // A service would find the end of the body elsewhere.
    Transfer_Encoding: 'chunked',
    Content_Length: '1',
    x_mine: 'kept',
  };
  await send(base, HELLO, { headers });
  const names = Object.keys(seen[0]?.request.headers ?? {});
  expect(names.filter((name) => name.includes('_'))).toEqual(['x_mine']);
});

it.each([
  ['X-Svc-', {}],
  ['X_Own_', { wireProfile: UNDERSCORES }],
])('forwards no credentials of the storage API that begin with %s', async (prefix, options) => {
  const { seen, base } = await startRecorder(options);
  const names = ['Authorization', 'SessionToken', 'TimeStamp', 'Other'];
  await send(base, HELLO, {
    headers: Object.fromEntries(names.map((name) => [`${prefix}${name}`, 'secret'])),
  });
  const passed = Object.keys(seen[0]?.request.headers ?? {});
  const own = prefix.toLowerCase();
  expect(passed.filter((name) => name.startsWith(own))).toEqual([`${own}other`]);
});

it('forwards no token in a subprotocol of a call that is not a WebSocket (D14)', async () => {
  const { seen, base } = await startRecorder();
  await send(base, HELLO, { headers: { 'sec-websocket-protocol': 'chat, berth.bearer.secret' } });
  expect(JSON.stringify(seen[0]?.request.rawHeaders)).not.toContain('secret');
});

it('forwards the host of an absolute target, which takes precedence over Host', async () => {
  const { seen, port } = await startRecorder();
  await sendRaw(
    port,
    `GET http://dev.example:81${HELLO} HTTP/1.1\r\nHost: other\r\nAuthorization: ${BEARER}\r\nConnection: close\r\n\r\n`,
  );
  expect(seen[0]?.request.headers['x-forwarded-host']).toBe('dev.example:81');
});

it('keeps the body of a call whose Connection names Content-Length', async () => {
  const { seen, base } = await startRecorder();
  const headers = { connection: 'close, content-length', 'content-length': '5' };
  await send(base, HELLO, { method: 'POST', body: Buffer.from('hello'), headers });
  expect(seen[0]?.body.toString()).toBe('hello');
});

it('continues X-Forwarded-* of a trusted proxy', async () => {
  const { seen, base } = await startRecorder({ trustProxy: true });
  await send(base, HELLO, {
    headers: {
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'dev.example',
    },
  });
  expect(seen[0]?.request.headers).toMatchObject({
    'x-forwarded-for': '10.0.0.1, 127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'dev.example',
  });
});

it('forwards response headers of a service up to the limit', async () => {
  const head = `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(20_000)}\r\nContent-Length: 2\r\n\r\nok`;
  const { origin } = await startRawService((socket) => {
    socket.on('data', () => socket.write(head));
  });
  const raw = `GET ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\nConnection: close\r\n\r\n`;
  const large = await startGateway(toService([origin]), { maxHeaderBytes: 32_768 });
  expect(await sendRaw(large.port, raw)).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok$/);
  const small = await startGateway(toService([origin]));
  expect(await sendRaw(small.port, raw)).toContain('BAD_GATEWAY');
});

it('sends 100 Continue only after authentication, and no Expect to the service', async () => {
  const { seen, port } = await startRecorder();
  const head = (token: string) =>
    `POST ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${token}\r\nConnection: close\r\n` +
    'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n';
  expect(await sendRaw(port, head('Bearer NOT'))).toMatch(/^HTTP\/1\.1 401/);
  expect(await sendRaw(port, head(BEARER), '{}')).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200/);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.request.headers.expect).toBeUndefined();
});
