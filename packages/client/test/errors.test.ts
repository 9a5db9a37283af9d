import { inspect } from 'node:util';
import {
  BerthError,
  bearer,
  type DocumentedService,
  isBerthError,
  type Service,
  tc3,
  toWireProfile,
} from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, gatewayWith, serviceAt, shown, storageWith } from './support/clients.ts';
import { json } from './support/responses.ts';

const REFUSAL = { code: 'SERVICE_NOT_FOUND', message: 'The service is missing.', requestId: 'r-1' };
const headers = { 'X-Request-Id': 'r-1' };
const refused = (body: object = REFUSAL, more = {}) =>
  json(body, { status: 404, headers: { ...headers, ...more } });

async function errorOf(response: Response | Error, options: object = {}): Promise<BerthError> {
  const { service } = gatewayWith([response], options);
  return (await failureOf(service.post('a?sign=s3', {}))) as BerthError;
}

describe('an error', () => {
  const POST = { method: 'POST', path: '/v1/cloudrun/x/a' };

  it('CL-ERROR-GATEWAY: has the code, status and request ID of the gateway', async () => {
    expect(await errorOf(refused())).toMatchObject({
      ...POST,
      name: 'BerthError',
      kind: 'gateway',
      message:
        'The gateway rejected the call: SERVICE_NOT_FOUND, The service is missing. ' +
        '(POST /v1/cloudrun/x/a, status 404, request ID r-1)',
      code: 'SERVICE_NOT_FOUND',
      status: 404,
      requestId: 'r-1',
      retryable: false,
      body: REFUSAL,
    });
  });

  it('CL-ERROR-SERVICE: has the status, body and message of the service', async () => {
    const body = { message: 'Out of\nanchors.', field: '5ec4e7' };
    const error = await errorOf(json(body, { status: 422, headers }));
    expect(error).toMatchObject({ ...POST, kind: 'service', code: undefined, status: 422, body });
    expect(error.message).toBe(
      'The service returned an error: Out of anchors. (POST /v1/cloudrun/x/a, status 422, request ID r-1)',
    );
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain('5ec4e7');
  });

  const acme = { wireProfile: toWireProfile({ gatewayHeaders: { upstreamStatus: 'X-Acme' } }) };
  it.each<[string, Response, object?]>([
    ['its header is that of the wire profile', refused(REFUSAL, { 'X-Acme': '404' }), acme],
    ['the upstream status is present', refused(REFUSAL, { 'X-Svc-Upstream-Status-Code': '404' })],
    ['the request IDs differ', refused({ ...REFUSAL, requestId: 'r-2' })],
    ['there is no request ID', json({ ...REFUSAL, requestId: undefined }, { status: 404 })],
    ['a field is not a string', refused({ ...REFUSAL, code: 1 })],
    ['there is no body', new Response(null, { status: 404, headers })],
  ])('CL-ERROR-SERVICE: is one of the service if %s', async (_, response, options) => {
    const error = { kind: 'service', code: undefined, status: 404 };
    expect(await errorOf(response, options)).toMatchObject(error);
  });

  const lost = new Error('connect ECONNREFUSED');
  const cyclic = new Error('connect ECONNREFUSED');
  cyclic.cause = cyclic;
  it.each([
    ['an error', lost],
    ['one for each address of the host', new AggregateError([lost, new Error('b')])],
    ['a cycle', cyclic],
  ])('has the innermost reason of a failed fetch, whose cause is %s', async (_, reason) => {
    const cause = new TypeError('fetch failed', { cause: reason });
    const message = 'No response: connect ECONNREFUSED (POST /v1/cloudrun/x/a)';
    const error = { ...POST, kind: 'network', message, retryable: true, cause };
    expect(await errorOf(cause)).toMatchObject(error);
  });

  const lose = () => Promise.reject(new Error('lost'));
  const neverRespond = () => new Promise<Response>(() => {});
  const garble = async () => new Response('{', { headers: { 'Content-Type': 'application/json' } });
  const { storage } = storageWith([], { fetch: lose, retry: false });
  const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';
  type Items = { '/items': { get: { responses: { 200: object } } } };
  it.each<[string, (service: Service) => Promise<unknown>, object]>([
    ['gateway', (x) => x.get('a'), { fetch: async () => refused() }],
    ['network', (x) => x.get('a'), { fetch: lose }],
    ['network', (x) => x.post('a', 'b'), { fetch: lose }],
    ['options', (x) => x.post('a', 'b'), { auth: { authorize: lose } }],
    ['network', (x) => x.request('a'), { fetch: lose }],
    ['network', (x) => (x as DocumentedService<Items>).GET('/items'), { fetch: lose }],
    ['network', (x) => x.events('a').next(), { fetch: lose }],
    ['network', (x) => x.connect('a'), {}],
    ['timeout', (x) => x.get('a'), { fetch: neverRespond, timeout: 5 }],
    ['contract', (x) => x.get('a'), { fetch: garble }],
    ['options', (x) => x.get('..'), {}],
    ['network', () => storage.upload('a', 'b'), {}],
    ['network', () => storage.copy('/a', '/b'), {}],
    ['network', () => storage.POST(DELETE, { body: { fileList: [] } }), {}],
    ['network', () => storage.download('a'), {}],
  ])("shows the caller's line in its stack: %s", async (kind, call, options) => {
    const service = serviceAt('http://127.0.0.1:1', { retry: false, ...options });
    async function theCaller() {
      await call(service);
    }
    const error = await failureOf(theCaller());
    expect(isBerthError(error, kind as 'gateway')).toBe(true);
    expect((error as Error).stack).toMatch(/theCaller .*errors\.test\.ts:/);
  });

  it('that the caller aborts with keeps its own stack', async () => {
    const reason = new BerthError('network', 'No');
    const { stack } = reason;
    const call = storage.tempUrl('b', { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(reason.stack).toBe(stack);
  });
});

describe('no secret is shown', () => {
  const TOKEN = 'token-5ec4e7';
  const JSON_TYPE = { headers: { 'Content-Type': 'application/json' } };
  const auth = bearer(TOKEN);
  const signer = tc3({ secretId: 'i', secretKey: TOKEN, token: TOKEN });
  const unauthorized = () => json({ ...REFUSAL, message: 'No.' }, { status: 401, headers });

  it.each<[string, object, Response | Error]>([
    ['a rejected signature', { auth: signer }, unauthorized()],
    ['a lost connection', { auth }, new Error('lost')],
    ['a token that is no header value', { auth: bearer(`5ec4e7\n${TOKEN}`) }, json({})],
    ['a redirect', { auth }, Response.redirect(`https://a.example/${TOKEN}`)],
    ['invalid JSON', { auth }, new Response(`"${TOKEN}`, JSON_TYPE)],
  ])('CL-SECRETS: by the error for %s, or a client or its URL', async (_, options, response) => {
    const { gateway, service, requests } = gatewayWith([response], options);
    const text = shown(await failureOf(service.get('a?token=5ec4e7')));
    expect(text).toContain('BerthError');
    expect(text + shown(gateway) + shown(options)).not.toContain('5ec4e7');
    for (const { url } of requests) expect(url).not.toContain(TOKEN);
  });

  it('CL-SECRETS: by the error for a wrong header, URL or result', async () => {
    const { gateway, service } = gatewayWith([]);
    const header = { headers: { 'Last-Event-ID': '1', Authorization: 'Bearer 5ec\n4e7' } };
    const params = { path: { name: 'x' } };
    const wrong = gatewayWith([], { auth: { authorize: () => ({ token: '5ec4e7' }) as never } });
    const calls = [
      gateway.fetch('https://user:5ec4e7@g.example/v1/cloudrun/x'),
      service.get('a', header),
      service.events('a', header).next(),
      service.connect('a', header),
      gateway.GET('/v1/cloudrun/{name}', { params, ...header }),
      gateway.GET('/v1/cloudrun/{name}', { params: { ...params, header: header.headers } }),
      wrong.service.get('a'),
    ];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ kind: 'options' });
      expect(shown(error)).not.toMatch(/5ec|4e7/);
    }
  });
});

const KINDS = ['gateway', 'service', 'storage', 'upload', 'network', 'options'] as const;

it('isBerthError recognizes each kind, even of another copy of the package, and nothing else', async () => {
  vi.resetModules();
  const copy: typeof import('@berth/client') = await import('@berth/client');
  expect(copy.BerthError).not.toBe(BerthError);
  for (const kind of KINDS) {
    for (const error of [new BerthError(kind, 'No'), new copy.BerthError(kind, 'No')]) {
      expect(isBerthError(error)).toBe(true);
      expect(KINDS.filter((each) => isBerthError(error, each))).toEqual([kind]);
    }
  }
  const similar = Object.assign(new Error('a'), { name: 'BerthError', kind: 'network' });
  for (const value of [null, 'BerthError', similar]) expect(isBerthError(value)).toBe(false);
});
