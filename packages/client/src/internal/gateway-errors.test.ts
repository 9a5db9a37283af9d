import { defaultWireProfile } from '@berth/spec/wire-profile';
import { describe, expect, it } from 'vitest';
import { fakeFetch, json } from '../../test/support/fake-fetch.ts';
import { bearer } from '../auth/credentials.ts';
import { createGatewayClient } from '../create-gateway-client.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import { toGatewayError } from './gateway-errors.ts';

const body = { code: 'SERVICE_NOT_FOUND', message: 'The service is missing.', requestId: 'r-1' };

const headers = { 'X-Request-Id': 'r-1' };

async function errorOf(response: Response, wireProfile = defaultWireProfile) {
  const { fetch } = fakeFetch(response);
  const options = {
    baseUrl: 'https://gateway.example',
    fetch,
    wireProfile,
    auth: bearer('to-ken'),
    retry: false as const,
  };
  const params = { path: { name: 'hello', anyPath: 'a?sign=s3' } };
  const result = await createGatewayClient(options).POST('/v1/cloudrun/{name}/{anyPath}', {
    params,
    body: {},
  });
  return toGatewayError(result);
}

describe('toGatewayError', () => {
  it('reports what failed, where, and the request ID', async () => {
    const error = await errorOf(json(body, { status: 404, headers }));
    expect(error).toBeInstanceOf(GatewayError);
    expect(isGatewayError(error)).toBe(true);
    expect(error).toMatchObject({
      name: 'GatewayError',
      message:
        'The gateway rejected the call: SERVICE_NOT_FOUND, The service is missing. ' +
        '(POST /v1/cloudrun/hello/a, status 404, request id r-1)',
      ...{ code: 'SERVICE_NOT_FOUND', status: 404, requestId: 'r-1', source: 'gateway' },
      ...{ method: 'POST', path: '/v1/cloudrun/hello/a' },
    });
  });

  it.each([
    [
      'the upstream status is present',
      json(body, { status: 404, headers: { ...headers, 'X-Svc-Upstream-Status-Code': '404' } }),
    ],
    ['the request ids differ', json({ ...body, requestId: 'r-2' }, { status: 404, headers })],
    ['the header is missing', json(body, { status: 404 })],
    ['a field is missing', json({ code: 'A', requestId: 'r-1' }, { status: 404, headers })],
    ['the code is no string', json({ ...body, code: 1 }, { status: 404, headers })],
    [
      'there is no request id at all',
      json({ ...body, requestId: undefined }, { status: 404, headers: {} }),
    ],
    ['a field is no string', json({ ...body, message: 1 }, { status: 404, headers })],
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
