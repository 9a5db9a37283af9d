import { Readable } from 'node:stream';
import {
  createGatewayRouter,
  type GatewayHandler,
  type GatewayRouterOptions,
  HttpError,
  type ServiceResponse,
} from '@berth/server-stubs';
import { type Caller, createGatewaySignature, createKeyPairs } from '@berth/server-stubs/auth';
import { isLoopback } from '@berth/server-stubs/contract';
import express from 'express';
import { describe, expect, test, vi } from 'vitest';
import { type Sent, send } from './support/send.ts';
import { sendRaw } from './support/send-raw.ts';
import { serve } from './support/serve.ts';
import { sign } from './support/sign.ts';

const security = {
  bearerToken: (token: string) => (token === 'good' ? 'bearer' : undefined),
  signature: () => 'signer',
};
const letIn = { authorization: 'Bearer good' };
const call = (base: string, path = '/hello', { headers, ...sent }: Sent = {}) =>
  send(base, `/v1/cloudrun${path}`, { headers: { ...letIn, ...headers }, ...sent });

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

describe('a signed body', () => {
  const pairs = createKeyPairs({ dev: { credentials: [{ id: 'me', secret: 'secret' }] } });
  const start = async (options?: Partial<GatewayRouterOptions<Caller>>) => {
    const handler = vi.fn<GatewayHandler<Caller>>(({ body }) =>
      body === undefined ? { status: 204 } : { status: 200, body },
    );
    const signature = createGatewaySignature({ pairs });
    const router = createGatewayRouter<Caller>(
      { call: handler },
      { env: 'dev', security: { bearerToken: () => undefined, signature }, ...options },
    );
    const base = await serve(router);
    const headers = { host: 'dev', 'content-type': 'text/plain' };
    const timestamp = Math.floor(Date.now() / 1000);
    const target = '/v1/cloudrun/hello';
    const signed = { method: 'POST', target, headers, body: 'signed', timestamp };
    const authorization = sign({ id: 'me', secret: 'secret' }, signed);
    const post = (body: string, others: Sent['headers'] = {}) =>
      send(base, target, {
        method: 'POST',
        headers: { ...headers, authorization, ...others },
        body,
      });
    return { handler, post };
  };

  test('reaches the handler only if it was signed', async () => {
    const { handler, post } = await start();
    expect(await post('forged')).toMatchObject({
      status: 401,
      json: { code: 'INVALID_CREDENTIALS' },
    });
    expect(handler).not.toHaveBeenCalled();
    expect(await post('signed')).toMatchObject({ status: 200, text: 'signed' });
  });

  test.each(['Router', null, true])('is never left unverified by mistake: %j', (signedBodies) => {
    const options = { security, signedBodies } as never;
    expect(() => createGatewayRouter({ call: echo }, options)).toThrow('options.signedBodies');
  });

  test('is signed with the path as sent, wherever Express mounts the router', async () => {
    const signature = createGatewaySignature({ pairs });
    const router = createGatewayRouter(
      { call: ({ target }) => ({ status: 200, body: target }) },
      { env: 'dev', security: { bearerToken: () => undefined, signature } },
    );
    const base = await serve(express().use('/api', router));
    const headers = { host: 'dev' };
    const timestamp = Math.floor(Date.now() / 1000);
    const target = '/api/v1/cloudrun/hello/a?b=1';
    const authorization = sign(
      { id: 'me', secret: 'secret' },
      { method: 'GET', target, headers, timestamp },
    );
    const received = await send(base, target, { headers: { ...headers, authorization } });
    expect(received).toMatchObject({ status: 200, text: '/a?b=1' });
  });

  test('is left to a handler that verifies it', async () => {
    const { handler, post } = await start({ signedBodies: 'handler' });
    await post('forged');
    expect(handler).toHaveBeenCalledOnce();
    expect(handler.mock.calls[0]?.[1].caller.verifyBody).toBeTypeOf('function');
  });

  // The service would get both lines, or none.
  test.each([
    ['is on two lines', { 'content-type': ['text/plain', 'text/html'] }],
    ['is nominated by Connection', { connection: 'close, Content-Type' }],
  ])('does not reach the handler if a signed header %s', async (_, others) => {
    const { handler, post } = await start();
    expect(await post('signed', others)).toMatchObject({
      status: 401,
      json: { code: 'INVALID_CREDENTIALS' },
    });
    expect(handler).not.toHaveBeenCalled();
    const harmless = { accept: ['a', 'b'], connection: 'close, Accept' };
    expect(await post('signed', harmless)).toMatchObject({ status: 200 });
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
    seen.push(input.headers.host, input.rawHeaders.slice(0, 2));
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
  ['handlers.call', {}, { security }],
  ['options.security.bearerToken', { call: echo }, {}],
  ['options.security.bearerToken', { call: echo }, undefined],
  ['options.security.signature', { call: echo }, { security: { ...security, signature: true } }],
])('without %s, the router is not created, also for JavaScript', (name, handlers, options) => {
  expect(() => createGatewayRouter(handlers as never, options as never)).toThrow(
    `${name} is missing`,
  );
});

test('an unknown handler and a wrong limit are errors', () => {
  const misspelt = { call: echo, websocket: echo };
  expect(() => createGatewayRouter(misspelt, { security })).toThrow('handlers.websocket');
  for (const name of ['bodyBytes', 'streamBytes']) {
    const options = { security, requests: { [name]: Number.NaN } };
    expect(() => createGatewayRouter({ call: echo }, options)).toThrow(`requests.${name}`);
  }
});

test('only loopback hosts are this machine', () => {
  const local = ['localhost', '127.9.9.9', '[::1]', '[::ffff:7f00:1]', '::ffff:127.0.0.1'];
  const others = ['127.0.0.1.example', '0.0.0.0', '127.evil.example', 'localhost.example'];
  expect([...local, ...others].filter(isLoopback)).toEqual(local);
});

test.each([101, 700, 200.5, undefined])(
  "a service's response with the status %s is BAD_GATEWAY, and the log names the operation",
  async (status) => {
    const onError = vi.fn();
    const response = status === undefined ? undefined : { status };
    const base = await gateway(() => response as ServiceResponse, { onError });
    expect((await call(base)).json).toMatchObject({ code: 'BAD_GATEWAY' });
    expect(String(onError.mock.calls[0]?.[0])).toBe(
      `TypeError: The handler of cloudrun-get-root returned the status ${status}: return an integer from 200 to 599.`,
    );
  },
);

test('a response with a wrong status is BAD_GATEWAY even if the log fails, and its stream is destroyed', async () => {
  const body = new Readable({ read() {} });
  const onError = () => {
    throw new Error('broken');
  };
  const base = await gateway(() => ({ status: 99, body }), { onError });
  expect(await call(base)).toMatchObject({ status: 502, json: { code: 'BAD_GATEWAY' } });
  expect(body.destroyed).toBe(true);
});

test('onResponse and onFault are called with operation, request ID and violations', async () => {
  const responses: unknown[][] = [];
  const faults: unknown[] = [];
  const url = await gateway(echo, {
    onResponse: ({ status }, { operationId, requestId }, error) => {
      const code = (error as { code?: string } | undefined)?.code;
      responses.push([status, code, operationId, requestId]);
    },
    onFault(fault, { operationId }) {
      faults.push([fault.kind, operationId, ...fault.violations.map(({ pointer }) => pointer)]);
      const isLost = fault.kind === 'not-found';
      return isLost ? new HttpError(fault.kind, 'Look elsewhere.', fault) : undefined;
    },
  });
  const good = await call(url);
  const bad = await call(url, '/a');
  const lost = await send(url, '/nowhere');
  expect([lost.status, lost.json]).toMatchObject([404, { message: 'Look elsewhere.' }]);
  await send(url, '/nowhere', { method: 'OPTIONS' });
  expect(responses).toEqual([
    [200, undefined, 'cloudrun-get-root', good.headers['x-request-id']],
    [400, 'INVALID_REQUEST', 'cloudrun-get-root', bad.headers['x-request-id']],
    [404, 'INVALID_PATH', '', lost.headers['x-request-id']],
    [204, undefined, '', expect.any(String)],
  ]);
  expect(faults).toEqual([
    ['invalid-request', 'cloudrun-get-root', '/name'],
    ['not-found', ''],
  ]);
});
