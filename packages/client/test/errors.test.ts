import * as client from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { envelope, fakeFetch, json, list } from './support/fake-fetch.ts';
import { storageWith } from './support/storage.ts';

const { bearer, createGatewayClient, toGatewayError, unwrapEnvelope } = client;

describe('toGatewayError', () => {
  const body = { code: 'SERVICE_NOT_FOUND', message: 'The service is missing.', requestId: 'r-1' };
  const headers = { 'X-Request-Id': 'r-1' };

  async function errorOf(response: Response) {
    const { fetch } = fakeFetch(response);
    const baseUrl = 'https://gateway.example';
    const gateway = createGatewayClient({ baseUrl, fetch, auth: bearer('to-ken'), retry: false });
    const params = { path: { name: 'hello', anyPath: 'a?sign=s3' } };
    const path = '/v1/cloudrun/{name}/{anyPath}';
    return toGatewayError(await gateway.POST(path, { params, body: {} }));
  }

  it('reports what failed, where, and the request ID', async () => {
    expect(await errorOf(json(body, { status: 404, headers }))).toMatchObject({
      name: 'GatewayError',
      message:
        'The gateway rejected the call: SERVICE_NOT_FOUND, The service is missing. ' +
        '(POST /v1/cloudrun/hello/a, status 404, request id r-1)',
      code: 'SERVICE_NOT_FOUND',
      status: 404,
      requestId: 'r-1',
      source: 'gateway',
      method: 'POST',
      path: '/v1/cloudrun/hello/a',
    });
  });

  it.each([
    [
      'the upstream status is present',
      json(body, { status: 404, headers: { ...headers, 'X-Svc-Upstream-Status-Code': '404' } }),
    ],
    ['the request IDs differ', json({ ...body, requestId: 'r-2' }, { status: 404, headers })],
    ['the header is missing', json(body, { status: 404 })],
    ['there is no request ID at all', json({ ...body, requestId: undefined }, { status: 404 })],
    ['a field is missing', json({ code: 'A', requestId: 'r-1' }, { status: 404, headers })],
    ['a field is not a string', json({ ...body, code: 1 }, { status: 404, headers })],
    ['the body is a page', new Response('<html>', { status: 502, headers })],
    ['there is no body', new Response(null, { status: 500, headers })],
  ])('blames the service if %s', async (_, response) => {
    const error = await errorOf(response);
    expect(error).toMatchObject({ source: 'service', code: undefined, status: response.status });
  });

  it('reads a response that no client of this library made', () => {
    const response = json(body, { status: 404, headers });
    expect(toGatewayError({ error: body, response }).message).toContain('status 404');
  });
});

describe('unwrapEnvelope', () => {
  const path = '/api/v2/envs/{envId}/storages:batchDelete';
  const init = { body: { fileList: ['a'] } };
  const unwrap = async (response: Response) =>
    unwrapEnvelope(await storageWith([response], { retry: false }).storage.POST(path, init));

  it.each([
    ['wrapped', envelope({ data: { fileList: [] } })],
    ['flat', json({ requestId: 'r', data: { fileList: [] } })],
    ['with a code and data', json({ requestId: 'r', code: 'SUCCESS', data: { fileList: [] } })],
  ])('opens a response that is %s', async (_, response) => {
    expect(await unwrap(response)).toEqual({ fileList: [] });
  });

  it.each<[string, unknown, number]>([
    ['an error status', { data: { a: 1 } }, 500],
    ['an error statusCode', { statusCode: 500, body: { data: { a: 1 } } }, 200],
    ['no data', {}, 200],
    ['a list as data', { data: [] }, 200],
    ['null', null, 500],
  ])('fails on %s', async (_, body, status) => {
    const failure = unwrap(json(body, { status }));
    await expect(failure).rejects.toThrow('the response is malformed');
  });

  it('throws the error of the call with its method, path and request ID', async () => {
    const refused = envelope({ code: 'SYS_ERR', message: 'The call failed.' });
    await expect(unwrap(refused)).rejects.toThrow(
      'The storage call failed: SYS_ERR, The call failed. ' +
        '(POST /api/v2/envs/dev/storages:batchDelete, status 200, request id r-1)',
    );
    const ofHeader = json({ code: 'C' }, { headers: { 'X-Request-Id': 'h' } });
    await expect(unwrap(ofHeader)).rejects.toMatchObject({ requestId: 'h' });
  });

  it('is not needed for a response of the convenience methods', async () => {
    const { storage } = storageWith([list({ fileID: 'a', code: 'SUCCESS' })]);
    expect(await storage.delete(['a'])).toEqual([{ fileID: 'a' }]);
  });
});

describe('guards', () => {
  const details = { what: 'It failed', method: 'GET', path: '/a', status: 500 };
  const errorsOf = (copy: typeof client) => ({
    isContractError: new copy.ContractError(details),
    isGatewayError: new copy.GatewayError({ ...details, source: 'service' }),
    isNetworkError: new copy.NetworkError(details),
    isStorageError: new copy.StorageError(details),
    isTimeoutError: new copy.TimeoutError({ ...details, timeout: 1 }),
    isUploadError: new copy.UploadError(details),
  });
  const guards = Object.entries(client).filter(([name]) => /^is\w+Error$/.test(name));
  const matching = (value: unknown) =>
    guards
      .filter(([, guard]) => (guard as typeof client.isBerthError)(value))
      .map(([name]) => name)
      .sort();

  it('recognize errors of their class, even from another copy of the package', async () => {
    vi.resetModules();
    const copy: typeof client = await import('@berth/client');
    expect(copy.BerthError).not.toBe(client.BerthError);
    for (const each of [client, copy]) {
      for (const [own, error] of Object.entries(errorsOf(each))) {
        expect(matching(error)).toEqual(['isBerthError', own].sort());
      }
    }
  });

  it.each([
    null,
    'GatewayError',
    Object.assign(new Error('a'), { name: 'GatewayError', code: 'SYS_ERR' }),
  ])('reject anything else: %s', (value) => {
    expect(matching(value)).toEqual([]);
  });
});
