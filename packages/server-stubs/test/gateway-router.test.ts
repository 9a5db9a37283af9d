import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  createGatewayRouter,
  GatewayError,
  type GatewayHandler,
  type GatewayRouterOptions,
  type HttpError,
  type ServiceResponse,
} from '@berth/server-stubs';
import { type Caller, createGatewaySignature, createKeyPairs } from '@berth/server-stubs/auth';
import { applyDispositionRules } from '@berth/server-stubs/contract';
import express from 'express';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Sent, send } from './support/send.ts';
import { open, receive, sendRaw } from './support/send-raw.ts';
import { serve } from './support/serve.ts';
import { sign } from './support/sign.ts';

const security = {
  bearerToken: (token: string) => (token === 'good' ? 'bearer' : undefined),
  signature: () => 'signer',
};
const authenticated = { authorization: 'Bearer good' };
const call = (base: string, path = '/hello', { headers, ...sent }: Sent = {}) =>
  send(base, `/v1/cloudrun${path}`, { headers: { ...authenticated, ...headers }, ...sent });

type Options = Partial<Parameters<typeof createGatewayRouter<string>>[1]>;

function gateway(call: GatewayHandler<string>, options: Options = {}) {
  return serve(createGatewayRouter({ call }, { security, ...options }));
}

/** A hosted service that returns its input. */
const echo: GatewayHandler<string> = (input, { caller, env, operationId }) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ...input, body: undefined, caller, env, operationId }),
});

describe('a signed call', () => {
  const credential = { id: 'me', secret: 'secret' };
  const pairs = createKeyPairs({ dev: { credentials: [credential] } });
  const handler = vi.fn<GatewayHandler<Caller>>(({ body = '' }) => ({ status: 200, body }));
  beforeEach(() => void handler.mockClear());

  const security = { bearerToken: () => undefined, signature: createGatewaySignature({ pairs }) };
  const signedHeaders = { host: 'dev', 'content-type': 'text/plain' };
  interface SignedCall extends Pick<GatewayRouterOptions, 'signedBodies'> {
    readonly target?: string;
    readonly headers?: Sent['headers'];
    readonly body?: string;
    /** The path at which Express mounts the router. */
    readonly mount?: string;
  }
  /** Sends a call that was signed with other headers or another body if they are set. */
  async function post({
    target = '/v1/cloudrun/hello',
    headers = {},
    body = 'signed',
    mount = '/',
    signedBodies = 'router',
  }: SignedCall) {
    const router = createGatewayRouter<Caller>(
      { call: handler },
      { env: 'dev', security, signedBodies },
    );
    const base = await serve(express().use(mount, router));
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = { method: 'POST', target, headers: signedHeaders, body: 'signed', timestamp };
    const authorization = sign(credential, signed);
    const sent = { ...signedHeaders, authorization, ...headers };
    return send(base, target, { method: 'POST', headers: sent, body });
  }

  const rejected = { status: 401, json: { code: 'INVALID_CREDENTIALS' } };

  test('does not reach the handler if its body was changed', async () => {
    expect(await post({ body: 'forged' })).toMatchObject(rejected);
    expect(handler).not.toHaveBeenCalled();
  });

  test('leaves its body to a handler that verifies it', async () => {
    const received = await post({ body: 'forged', signedBodies: 'handler' });
    expect(received).toMatchObject({ status: 200, text: 'forged' });
    expect(handler.mock.lastCall?.[1].caller.verifyBody).toBeTypeOf('function');
  });

  // The service would get both lines, or none.
  test.each([
    ['is on two lines', { 'content-type': ['text/plain', 'text/html'] }],
    ['is nominated by Connection', { connection: 'close, Content-Type' }],
  ])('does not reach the handler if a signed header %s', async (_, headers) => {
    expect(await post({ headers })).toMatchObject(rejected);
    expect(handler).not.toHaveBeenCalled();
    const harmless = { accept: ['a', 'b'], connection: 'close, Accept' };
    expect(await post({ headers: harmless })).toMatchObject({ status: 200, text: 'signed' });
  });

  test('is signed with the path as sent, wherever Express mounts the router', async () => {
    const received = await post({ target: '/api/v1/cloudrun/hello/a?b=1', mount: '/api' });
    expect(received).toMatchObject({ status: 200, text: 'signed' });
    expect(handler.mock.lastCall?.[0].target).toBe('/a?b=1');
  });
});

const FOUND = [200, { env: 'dev' }] as const;
const INVALID = [400, { code: 'INVALID_HOST' }] as const;

test.each([
  ['Host: dev.gateway.example', FOUND],
  ['Host: DEV.gateway.example:8080', FOUND],
  ['Host: 127.0.0.1', FOUND],
  ['Host: localhost:1234', FOUND],
  ['Host: [0:0::1]:8080', FOUND],
  ['Host: dev', FOUND],
  ['Host: prod.gateway.example', INVALID],
  ['Host: 127.evil.example', INVALID],
  ['Host: localhost.example', INVALID],
  ['Host: a b', INVALID],
  ['Host: dev:65536', INVALID],
  ['Host: user@dev', INVALID],
  ['Host: ', INVALID],
  ['Host: dev.a\r\nHost: dev.b', INVALID],
])('%j selects the environment, or none', async (host, expected) => {
  const target = '/v1/cloudrun/hello';
  expect(await callAs(host, target)).toEqual(expected);
});

test('the host of an absolute target replaces Host, for the service too', async () => {
  const seen: unknown[] = [];
  const record: GatewayHandler<string> = (input, call) => {
    seen.push(input.headers.host, call.request.rawHeaders.slice(-2));
    return echo(input, call);
  };
  expect(await callAs('Host: prod', 'http://dev.a/v1/cloudrun/hello', record)).toEqual(FOUND);
  expect(seen).toEqual(['dev.a', ['Host', 'dev.a']]);
  const [status] = await callAs('Host: dev', 'ftp://dev.a/v1/cloudrun/hello');
  expect(status).toBe(404);
});

async function callAs(host: string, target: string, handler = echo) {
  const base = await gateway(handler, { env: 'dev' });
  const head = `GET ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n`;
  const text = await sendRaw(base, `${head}Authorization: Bearer good\r\n\r\n`);
  const { env, code } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
  return [Number(text.split(' ', 2)[1]), env === undefined ? { code } : { env }];
}

test.each([
  ['an invalid path', 'POST /v1/cloudrun/hello/a/../b', 400],
  ['a GET with a body', 'GET /v1/cloudrun/hello', 400],
  ['a HEAD with a body', 'HEAD /v1/cloudrun/hello', 400],
  ['a service that does not exist', 'POST /v1/cloudrun/none', 404],
])('%s is rejected without asking for the body', async (_, line, status) => {
  const handler: GatewayHandler = ({ name }) => {
    throw new GatewayError(name === 'none' ? 'SERVICE_NOT_FOUND' : 'SYS_ERR');
  };
  const router = createGatewayRouter({ call: handler }, { security });
  const base = await serve(createServer(router).on('checkContinue', router.checkContinue));
  const head = 'Host: dev\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n';
  const text = await sendRaw(base, `${line} HTTP/1.1\r\n${head}Authorization: Bearer good\r\n\r\n`);
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test.each([
  ['Content-Length: 2', '{}'],
  ['Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
])('a response that may need the body of the request asks for it: %s', async (length, body) => {
  const handler: GatewayHandler = ({ body = '' }) => ({ status: 200, body });
  const router = createGatewayRouter({ call: handler }, { security });
  const base = await serve(createServer(router).on('checkContinue', router.checkContinue));
  const socket = await open(base);
  const head = `Host: dev\r\nExpect: 100-continue\r\n${length}\r\nAuthorization: Bearer good\r\n`;
  socket.write(`POST /v1/cloudrun/hello HTTP/1.1\r\n${head}\r\n`);
  // The response has begun, too, because its body is that of the request.
  expect(await receive(socket, 'HTTP/1.1 200 ')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP/);
  socket.write(body);
  await receive(socket, '{}');
});

test.each([101, 700, 200.5, undefined])(
  "a service's response with the status %s is BAD_GATEWAY, its stream is destroyed, and the log names the operation",
  async (status) => {
    const onError = vi.fn(() => {
      throw new Error('a log that fails');
    });
    const body = new Readable({ read() {} });
    const base = await gateway(() => ({ status, body }) as ServiceResponse, { onError });
    expect(await call(base)).toMatchObject({ status: 502, json: { code: 'BAD_GATEWAY' } });
    expect(body.destroyed).toBe(true);
    expect(String(onError.mock.calls[0]?.at(0))).toBe(
      `TypeError: The handler of cloudrun-get-root returned the status ${status}: return an integer from 200 to 599.`,
    );
  },
);

test('onResponse is called with operation, request ID, environment, and what is invalid', async () => {
  const responses: unknown[][] = [];
  const url = await gateway(echo, {
    env: 'dev',
    onResponse({ status }, { operationId, requestId, env }, error) {
      const { code, cause } = (error ?? {}) as Partial<GatewayError>;
      const pointers = (cause as HttpError | undefined)?.violations.map(({ pointer }) => pointer);
      responses.push([status, code, operationId, requestId, env, pointers]);
    },
  });
  const good = await call(url);
  const bad = await call(url, '/a');
  const anonymous = await send(url, '/v1/cloudrun/hello');
  const lost = await send(url, '/nowhere');
  const { headers } = await send(url, '/nowhere', { method: 'OPTIONS' });
  expect(headers.allow).toBe(headers['access-control-allow-methods']);
  expect(responses).toEqual([
    [200, undefined, 'cloudrun-get-root', good.headers['x-request-id'], 'dev', undefined],
    [400, 'INVALID_REQUEST', 'cloudrun-get-root', bad.headers['x-request-id'], 'dev', ['/name']],
    [401, 'MISSING_CREDENTIALS', 'cloudrun-get-root', anonymous.headers['x-request-id'], 'dev', []],
    [404, 'INVALID_PATH', '', lost.headers['x-request-id'], '', []],
    [204, undefined, '', expect.any(String), '', undefined],
  ]);
});

test.each<[sent: string | string[], expected: string]>([
  ['attachment; filename="a;b.txt"', 'attachment; filename="a;b.txt"'],
  [
    "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
    "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
  ],
  ['attachment; filename="say \\"hi\\".txt"', 'attachment; filename="say \\"hi\\".txt"'],
  ['inline', 'attachment'],
  ['inline; filename=attachment', 'attachment'],
  ['attachmentx', 'attachment'],
  ['attachment, inline', 'attachment'],
  ['form-data; name="x"', 'attachment'],
  ['', 'attachment'],
  [['inline', 'attachment; filename=a.txt'], 'attachment; filename=a.txt'],
  // Of headers that were joined, only the file name is kept.
  ['attachment; filename="a.html", inline', 'attachment; filename=a.html'],
  ['attachment; filename=a.html, inline; filename="b"', 'attachment; filename="a.html, inline"'],
  ["attachment; filename*=UTF-8''a, inline", 'attachment; filename=a'],
  ['attachment; filename="a, b.txt"', 'attachment; filename="a, b.txt"'],
  // Raw UTF-8, as Node.js reads it.
  [
    'attachment; filename="M\u00c3\u00bc, \\",.txt"',
    'attachment; filename="M\u00c3\u00bc, \\",.txt"',
  ],
])("the service's own %j becomes %j", (sent, expected) => {
  const headers = { 'content-disposition': sent };
  applyDispositionRules({ method: 'GET', headers: {} }, headers);
  expect(headers['content-disposition']).toBe(expected);
});

test('an error whose headers cannot be sent is a 500 with the headers of every response', async () => {
  const failing: GatewayHandler<string> = () => {
    throw new GatewayError('BAD_GATEWAY', { headers: { 'x-a': 'a\nb' } });
  };
  const { status, headers } = await call(await gateway(failing, { onError() {} }));
  expect([status, headers['access-control-allow-origin']]).toEqual([500, '*']);
  expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
});

test('lists in headers of an error are added to those of the gateway, as for a service', async () => {
  const headers = { vary: 'Accept', 'access-control-expose-headers': 'X-Quota' };
  const origin = 'https://app.example.com';
  const cors = { origins: [origin] };
  const failing = await gateway(
    () => {
      throw new GatewayError('SERVICE_NOT_READY', { headers });
    },
    { cors },
  );
  const service = await gateway(() => ({ status: 503, headers }), { cors });
  for (const base of [failing, service]) {
    const response = await call(base, '/hello', { headers: { origin } });
    expect(response.status).toBe(503);
    expect(response.headers).toMatchObject({
      vary: 'Origin, Accept',
      'access-control-expose-headers': expect.stringMatching(/^X-Request-Id, .*, X-Quota$/i),
    });
  }
});
