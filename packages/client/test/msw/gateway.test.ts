import { createGatewayClient, isGatewayError, tc3 } from '@berth/client';
import { gatewayError } from '@berth/client/msw';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/fake-fetch.ts';
import { expectInContract } from './contract.ts';
import { BASE, berth, gateway, server } from './set-up.ts';

const hello = gateway.service('hello');
const handlers = berth.service('hello');
const bearer = { headers: { Authorization: 'Bearer token' } };
const raw = (path: string, init: RequestInit = bearer) =>
  fetch(`${BASE}/v1/cloudrun/${path}`, init);

describe('a hosted service', () => {
  it('returns JSON, text, or a complete response', async () => {
    server.use(
      handlers.get('json', () => ({ greeting: 'Hello' })),
      handlers.get('/text', () => 'Hello'),
      handlers.get('users/:id', ({ params }) => ({ id: params.id })),
      handlers.get('404', () => HttpResponse.json({ reason: 'gone' }, { status: 404 })),
      handlers.post('echo', async ({ request }) => HttpResponse.json(await request.json())),
    );
    expect(await hello.get('json')).toEqual({ greeting: 'Hello' });
    expect(await hello.get('text?x=1')).toBe('Hello');
    expect(await hello.get('users/7')).toEqual({ id: '7' });
    expect(await hello.post('echo', { item: 3 })).toEqual({ item: 3 });
    const error = await failureOf(hello.get('404'));
    expect(error).toMatchObject({ source: 'service', status: 404, code: undefined });
    expect(isGatewayError(error) && error.body()).toEqual({ reason: 'gone' });
    expect((await hello.request('json', { method: 'HEAD' })).status).toBe(200);
  });

  it('responds at its root, with and without a slash', async () => {
    server.use(handlers.get('', () => 'root'));
    expect(await hello.get()).toBe('root');
    expect(await (await raw('hello/')).text()).toBe('root');
    expect(await failureOf(hello.get('other'))).toMatchObject({ code: 'SERVICE_NOT_FOUND' });
  });

  it('responds to GET and POST of one path', async () => {
    server.use(
      handlers.get('a', () => 'got'),
      handlers.post('a', () => 'posted'),
    );
    expect(await hello.get('a')).toBe('got');
    expect(await hello.post('a')).toBe('posted');
  });

  it('has the headers of the gateway', async () => {
    const own = { 'X-Request-Id': 'own', 'Content-Disposition': 'inline' };
    const named = { 'Content-Disposition': 'attachment; filename=a' };
    server.use(
      handlers.get('a', () => HttpResponse.json({}, { headers: own })),
      handlers.get('named', () => HttpResponse.text('', { headers: named })),
      handlers.post('json', () => ({})),
      handlers.post('html', () => HttpResponse.html('<p>')),
    );
    const got = await raw('hello/a');
    expect(got.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(got.headers.get('X-Svc-Upstream-Status-Code')).toBe('200');
    expect(got.headers.get('Content-Disposition')).toBe('attachment');
    const disposition = async (path: string, method: string) =>
      (await raw(path, { ...bearer, method })).headers.get('Content-Disposition');
    expect(await disposition('hello/named', 'GET')).toBe('attachment; filename=a');
    expect(await disposition('hello/json', 'POST')).toBeNull();
    expect(await disposition('hello/html', 'POST')).toBe('attachment');
  });

  it('may fail to be reached', async () => {
    server.use(handlers.get('a', () => HttpResponse.error()));
    expect(await failureOf(hello.get('a'))).toMatchObject({ name: 'NetworkError' });
  });

  it('is called with credentials of both kinds', async () => {
    server.use(handlers.get('a', () => 'Hello'));
    const auth = tc3({ secretId: 'id', secretKey: 'key' });
    const signed = createGatewayClient({ baseUrl: BASE, auth });
    expect(await signed.service('hello').get('a')).toBe('Hello');
  });

  it('has a valid service name', () => {
    expect(() => berth.service('a/b')).toThrow(TypeError);
  });
});

describe('errors of the gateway', () => {
  it('have the status and message of the table', async () => {
    server.use(handlers.get('a', () => gatewayError('SERVICE_NOT_READY')));
    const response = await raw('hello/a');
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(response.headers.has('X-Svc-Upstream-Status-Code')).toBe(false);
    const body = await response.json();
    expectInContract('gateway', 'GatewayError', body);
    expect(body).toEqual({
      code: 'SERVICE_NOT_READY',
      message: 'The hosted service is not ready.',
      requestId: response.headers.get('X-Request-Id'),
    });
  });

  it('may have other texts, and codes of your own', async () => {
    server.use(
      handlers.get('a', () => gatewayError('SYS_ERR', { message: 'Try later.' })),
      handlers.get('b', () => gatewayError('NEW_CODE', { status: 418 })),
    );
    const [a, b] = await Promise.all(['a', 'b'].map((path) => failureOf(hello.get(path))));
    expect(a).toMatchObject({ source: 'gateway', code: 'SYS_ERR', status: 500 });
    expect(String(a)).toContain('Try later.');
    expect(b).toMatchObject({ source: 'gateway', code: 'NEW_CODE', status: 418 });
  });

  it('are retried by the client as usual', async () => {
    const headers = { 'Retry-After': '0' };
    server.use(
      handlers.post('a', () => gatewayError('SERVICE_NOT_READY', { headers }), { once: true }),
      handlers.post('a', () => 'done'),
    );
    expect(await hello.post('a', {}, { retry: { baseDelay: 1 } })).toBe('done');
  });

  const basic = { headers: { Authorization: 'Basic a' } };
  it.each([
    ['a service without handlers', 404, 'SERVICE_NOT_FOUND', 'none/a', bearer],
    ['no credentials', 401, 'MISSING_CREDENTIALS', 'hello/a', {}],
    ['bad credentials', 401, 'INVALID_CREDENTIALS', 'hello/a', basic],
    ['a bad name', 400, 'INVALID_REQUEST', '7/a', bearer],
    ['another method', 405, 'METHOD_NOT_ALLOWED', 'hello/a', { ...bearer, method: 'PUT' }],
  ])('are automatic for %s', async (_, status, code, path, init) => {
    server.use(handlers.get('a', () => 'Hello'));
    const response = await raw(path, init);
    const body = await response.json();
    expectInContract('gateway', 'GatewayError', body);
    expect([response.status, body.code]).toEqual([status, code]);
    expect(body.requestId).toBe(response.headers.get('X-Request-Id'));
  });

  it('name the missing handler', async () => {
    const error = await failureOf(gateway.service('orders').post('7/new', {}));
    expect(String(error)).toContain("add service('orders').post('7/new', …)");
  });
});
