import { describe, expect, it, vi } from 'vitest';
import { fakeFetch, json } from '../test/support/fake-fetch.ts';
import { bearer, type GatewayAuth } from './auth/credentials.ts';
import { tc3 } from './auth/tc3.ts';
import type { FetchLike } from './call-options.ts';
import { createGatewayClient } from './create-gateway-client.ts';

const ANY = '/v1/cloudrun/{name}/{anyPath}';
const params = { path: { name: 'hello', anyPath: 'a/b?x=1' } };
const baseUrl = 'https://dev.gateway.example';

describe('createGatewayClient', () => {
  it('finds the gateway of an environment', async () => {
    const { fetch, requests } = fakeFetch(json({}));
    const address = { envId: 'dev', gatewayDomain: 'gateway.example' };
    await createGatewayClient({ ...address, fetch }).GET('/v1/cloudrun/{name}', {
      params: { path: { name: 'hello' } },
    });
    expect(requests[0]?.url).toBe('https://dev.gateway.example/v1/cloudrun/hello');
  });

  it('sends the current credentials, requested for each call', async () => {
    const { fetch, requests } = fakeFetch(json({}), json({}));
    let count = 0;
    const auth = { authorize: async () => `Bearer t${++count}` };
    const gateway = createGatewayClient({ baseUrl, fetch, auth });
    await gateway.GET(ANY, { params });
    await gateway.service('hello').get();
    const sent = requests.map(({ headers }) => headers.get('Authorization'));
    expect(sent).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('shows a signer the attempt, and sends the headers that it adds', async () => {
    const { fetch, requests } = fakeFetch(json({}), json({}));
    const seen: unknown[] = [];
    const auth: GatewayAuth = {
      authorize({ now: _, ...request }) {
        seen.push(structuredClone(request));
        request.headers['x-date'] = 'today';
        return undefined;
      },
    };
    const service = createGatewayClient({ baseUrl, fetch, auth, headers: { 'X-A': 'a' } });
    for (const body of ['b', 'c']) await service.service('hello').post('d?e', body);
    const url = `${baseUrl}/v1/cloudrun/hello/d?e`;
    expect(seen).toEqual(
      ['b', 'c'].map((body) => ({ method: 'POST', url, body, headers: { 'x-a': 'a' } })),
    );
    expect(requests.map(({ headers }) => headers.get('X-Date'))).toEqual(['today', 'today']);
  });

  it("signs for the page's host if the URL has none", async () => {
    vi.stubGlobal('location', { href: 'https://page.example/app' });
    vi.useFakeTimers({ now: 0 });
    const { fetch: send, requests } = fakeFetch(json({}), json({}));
    const fetch: FetchLike = (url, init) => send(new URL(String(url), location.href).href, init);
    const auth = tc3({ secretId: 'id', secretKey: 'key' });
    for (const baseUrl of ['/api', 'https://page.example/api']) {
      await createGatewayClient({ baseUrl, fetch, auth }).service('hello').get();
    }
    vi.useRealTimers();
    vi.unstubAllGlobals();
    const [relative, absolute] = requests.map(({ headers }) => headers.get('Authorization'));
    expect(relative).toMatch(/^TC3-HMAC-SHA256 Credential=id/);
    expect(relative).toBe(absolute);
  });

  it('keeps the Authorization of a call and sends common headers', async () => {
    const { fetch, requests } = fakeFetch(json({}));
    const gateway = createGatewayClient({
      baseUrl,
      fetch,
      auth: bearer('t'),
      headers: { 'X-A': 'a' },
    });
    await gateway.GET(ANY, { params, headers: { Authorization: 'TC3-HMAC-SHA256 x' } });
    expect(requests[0]?.headers.get('Authorization')).toBe('TC3-HMAC-SHA256 x');
    expect(requests[0]?.headers.get('X-A')).toBe('a');
  });
});
