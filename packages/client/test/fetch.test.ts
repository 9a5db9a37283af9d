import { bearer, type CallOptions, type GatewayClientOptions } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, json, refused } from './support/fake-fetch.ts';
import { faultServer, refuse, serve } from './support/fault-server.ts';
import { gatewayAt, gatewayWith } from './support/gateway.ts';

const auth = bearer('t');

/** Freezes an object and all that it contains, so that changing it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && Object.isExtensible(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

describe('gateway.fetch', () => {
  it.each<[string, (url: string) => string | URL | Request]>([
    ['a string', (url) => url],
    ['a URL', (url) => new URL(url)],
    ['a Request', (url) => new Request(url)],
  ])('adds credentials to %s below the services of the gateway', async (_, toInput) => {
    const responses = [json({}), json({}), json({})];
    const { gateway, requests } = gatewayWith(responses, { auth, headers: { 'X-A': 'a' } });
    for (const path of ['x', 'x/a?b=1', 'x/../y']) {
      await gateway.fetch(toInput(`https://g.example/v1/cloudrun/${path}`));
    }
    const sent = requests.map(({ headers }) => [headers.get('Authorization'), headers.get('X-A')]);
    expect(sent).toEqual(Array(3).fill(['Bearer t', 'a']));
  });

  it.each([
    'https://g.example/',
    'https://g.example/v1/cloudrun',
    'https://g.example/v1/cloudrun/../x',
    'https://g.example/v1/cloudrun/%2e%2e/x',
    'https://g.example/v1/cloudrunner/x',
    'http://g.example/v1/cloudrun/x',
    'https://g.example:444/v1/cloudrun/x',
    'https://g.example.evil.example/v1/cloudrun/x',
    'https://g.example@evil.example/v1/cloudrun/x',
  ])('CL-SECRETS: adds nothing to %s', async (url) => {
    const { gateway, requests } = gatewayWith([json({})], { auth, headers: { 'X-A': 'a' } });
    await gateway.fetch(url).catch(() => {});
    for (const { headers } of requests) expect([...headers]).toEqual([]);
  });

  it('keeps an Authorization header of the call, and all that a Request holds', async () => {
    const { gateway, requests } = gatewayWith([json({})], { auth });
    const { url } = gateway.service('x');
    const headers = { Authorization: 'Bearer mine', 'X-B': 'b' };
    await gateway.fetch(
      new Request(url, { method: 'POST', body: 'hi', headers, cache: 'no-store' }),
    );
    const [sent] = requests as [Request];
    expect([sent.method, sent.cache, await sent.text()]).toEqual(['POST', 'no-store', 'hi']);
    expect(sent.headers.get('Authorization')).toBe('Bearer mine');
    expect(sent.headers.get('Content-Type')).toMatch(/^text\/plain/);
  });

  it('returns any status, and retries as the contract says', async () => {
    const notReady = () => refused('SERVICE_NOT_READY', 503);
    const responses = [notReady(), json({}, { status: 418 }), json({}, { status: 502 })];
    const { gateway, requests } = gatewayWith(responses, { retry: { delay: 1 } });
    const { url } = gateway.service('x');
    const post = { method: 'POST', body: 'a' };
    expect((await gateway.fetch(url, post)).status).toBe(418);
    expect((await gateway.fetch(url, post)).status).toBe(502);
    expect(requests).toHaveLength(3);
  });

  it('does not modify anything that a caller passes', async () => {
    await using server = await faultServer(refuse('SERVICE_NOT_READY', 503), serve({}));
    const options = frozen({ auth, headers: { 'X-A': 'a' }, retry: { attempts: 2, delay: 1 } });
    const gateway = gatewayAt(server.baseUrl, options as Partial<GatewayClientOptions>);
    const service = gateway.service('x');
    const headers = new Headers({ 'X-B': 'b' });
    const request = new Request(service.url, { headers });
    const init = frozen({ method: 'POST', body: 'a', headers: { 'X-B': 'b' }, retry: {} });
    const call = frozen({ headers: { 'X-B': 'b' }, retry: { delay: 0 } });
    const params = { path: { name: 'x' }, query: {}, header: {} };
    const body = frozen({ a: [{ b: 1 }] });
    await gateway.fetch(request);
    await gateway.fetch(service.url, init);
    await gateway.fetch(service.url, frozen({ headers }));
    await service.get('a', call);
    await service.post('a', body, call);
    await service.request('a', frozen({ method: 'POST', body, ...call } as const));
    await gateway.POST('/v1/cloudrun/{name}', frozen({ params, body, ...call }) as never);
    await service
      .events('a', call)
      .next()
      .catch(() => {});
    expect([[...headers], [...request.headers]]).toEqual([[['x-b', 'b']], [['x-b', 'b']]]);
    for (const sent of server.calls) expect(sent.headers).toMatchObject({ 'x-a': 'a', 'x-b': 'b' });
  });
});

describe('other libraries', () => {
  it("work as OpenAI's SDK calls fetch: a URL as text, Headers and a signal", async () => {
    await using server = await faultServer(serve({ id: 'chat-1' }));
    const gateway = gatewayAt(server.baseUrl, { auth });
    const baseURL = gateway.service('llm').url;
    const { signal } = new AbortController();
    const headers = new Headers({ 'Content-Type': 'application/json', 'X-Stainless-Lang': 'js' });
    const init: RequestInit = { method: 'POST', headers, body: '{"model":"m"}', signal };
    const response = await gateway.fetch(`${baseURL}/chat/completions`, init);
    expect(await response.json()).toEqual({ id: 'chat-1' });
    const [call] = server.calls;
    expect(call).toMatchObject({ method: 'POST', url: '/v1/cloudrun/llm/chat/completions' });
    expect(call?.headers).toMatchObject({ authorization: 'Bearer t', 'x-stainless-lang': 'js' });
  });

  it("work as MCP's SDK calls fetch: a URL object, and an event stream to read", async () => {
    const type = { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 's' };
    await using server = await faultServer((_, response) => {
      response.writeHead(200, type).write('event: message\ndata: {"jsonrpc":"2.0"}\n\n');
    });
    const gateway = gatewayAt(server.baseUrl, { auth });
    const stop = new AbortController();
    const headers = new Headers({ Accept: 'application/json, text/event-stream' });
    const init = { method: 'POST', headers, body: '{}', signal: stop.signal };
    const response = await gateway.fetch(new URL(gateway.service('mcp').url), init);
    expect(response.headers.get('Mcp-Session-Id')).toBe('s');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('data: {"jsonrpc":"2.0"}');
    stop.abort('enough');
    expect(await failureOf(reader?.read() as Promise<unknown>)).toBe('enough');
  });

  it('have the options of a call', async () => {
    const fetch = vi.fn(async () => refused('SYS_ERR', 500));
    const gateway = gatewayAt('https://g.example', { fetch });
    const options: CallOptions[] = [{ retry: false }, { idempotent: true, retry: { attempts: 2 } }];
    for (const init of options) {
      await gateway.fetch(gateway.service('x').url, { method: 'POST', ...init });
    }
    expect(fetch).toHaveBeenCalledTimes(3);
  });
});
