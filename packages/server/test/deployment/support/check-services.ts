import { createGatewayClient, type GatewayClient, toGatewayError } from '@berth/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Deployment } from './start-deployment.ts';

/** Tests that hosted services are called, as a client of the contract sees them. */
export function checkServices(deployed: () => Deployment): void {
  describe('hosted services', () => {
    let gateway: GatewayClient;
    const withToken = (token?: string) => {
      const { url: baseUrl, wireProfile } = deployed();
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      return createGatewayClient({ baseUrl, headers, wireProfile });
    };
    beforeAll(() => {
      gateway = withToken(deployed().token);
    });
    const errorOf = async (name: string, token: string | undefined) =>
      toGatewayError(
        await withToken(token).GET('/v1/cloudrun/{name}', { params: { path: { name } } }),
      );

    test('are called at their root and below', async () => {
      const path = { name: 'hello', anyPath: 'a/b%2Fc?x=1' };
      const below = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params: { path } });
      expect(below.data).toMatchObject({ method: 'GET', path: '/a/b%2Fc?x=1' });
      const { response } = below;
      const { upstreamStatus } = deployed().wireProfile.gatewayHeaders;
      expect(response.headers.get(upstreamStatus)).toBe('200');
      expect(response.headers.get('content-disposition')).toBe('attachment');
      expect(below.data).toMatchObject({ requestId: response.headers.get('x-request-id') });
      const body = { key1: '测试' };
      const root = await gateway.POST('/v1/cloudrun/{name}', { params: { path }, body });
      expect(root.data).toMatchObject({ method: 'POST', path: '/', body: JSON.stringify(body) });
      expect(root.response.headers.get('content-disposition')).toBe(null);
    });

    test('take many concurrent calls', async () => {
      const params = (index: number) => ({ path: { name: 'hello', anyPath: `${index}` } });
      const calls = Array.from({ length: 12 }, (_, index) => ({ params: params(index) }));
      const posts = calls.map((call) => ({ ...call, body: {} }));
      const responses = [
        await Promise.all(calls.map((call) => gateway.GET('/v1/cloudrun/{name}', call))),
        await Promise.all(posts.map((call) => gateway.POST('/v1/cloudrun/{name}', call))),
        await Promise.all(calls.map((call) => gateway.GET('/v1/cloudrun/{name}/{anyPath}', call))),
        await Promise.all(posts.map((call) => gateway.POST('/v1/cloudrun/{name}/{anyPath}', call))),
      ];
      const below = calls.map((_, index) => `/${index}`);
      const roots = calls.map(() => '/');
      expect(responses.map((group) => group.map(({ data }) => data?.path))).toEqual([
        ...[roots, roots, below, below],
      ]);
    });

    test('send text and events', async () => {
      const call = (accept: string) =>
        gateway.GET('/v1/cloudrun/{name}', {
          params: { path: { name: 'hello' } },
          headers: { Accept: accept },
          parseAs: 'text',
        });
      expect((await call('text/plain')).data).toBe('Hello from GET /\n');
      const { data, response } = await call('text/event-stream');
      expect(response.headers.get('content-disposition')).toBe(null);
      expect(String(data).match(/^id: \d+$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3']);
    });

    test.each([
      ['none', 404, 'SERVICE_NOT_FOUND'],
      ['closed', 403, 'SERVICE_FORBIDDEN'],
      ['asleep', 503, 'SERVICE_NOT_READY'],
    ])('named %s give %i %s', async (name, status, code) => {
      expect(await errorOf(name, deployed().token)).toMatchObject({
        ...{ name: 'GatewayError', source: 'gateway', status, code },
        requestId: expect.any(String),
      });
    });

    test('refuse invalid and foreign tokens', async () => {
      const { token, foreignToken } = deployed();
      const forged = `${token.slice(0, -4)}AAAA`;
      for (const [bad, code] of [
        [undefined, 'MISSING_CREDENTIALS'],
        [foreignToken, 'ACCESS_TOKEN_INVALID'],
        [forged, 'ACCESS_TOKEN_INVALID'],
      ]) {
        expect(await errorOf('hello', bad)).toMatchObject({ source: 'gateway', status: 401, code });
      }
    });
  });
}
