import { bearer, type GatewayClientOptions } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { gatewayAt, gatewayWith } from './support/clients.ts';
import { json, refused } from './support/responses.ts';
import { refuse, serve, startServer } from './support/servers.ts';

const auth = bearer('t');
const headers = { 'X-A': 'a' };

/** Freezes an object and all that it contains, so that changing it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && Object.isExtensible(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

describe('gateway.fetch', () => {
  const added = { authorization: 'Bearer t', 'x-a': 'a' };
  it.each([
    ['https://g.example/v1/cloudrun/x', added],
    ['https://g.example/v1/cloudrun/x/a?b=1', added],
    ['https://g.example/v1/cloudrun/x/../y', added],
    ['https://g.example/', {}],
    ['https://g.example/v1/cloudrun/../x', {}],
    ['https://g.example/v1/cloudrunner/x', {}],
    ['http://g.example/v1/cloudrun/x', {}],
    ['https://g.example:444/v1/cloudrun/x', {}],
    ['https://g.example.evil.example/v1/cloudrun/x', {}],
  ])('CL-SECRETS: adds to a string, URL or Request of %s: %j', async (url, expected) => {
    const responses = [json({}), json({}), json({})];
    const { gateway, requests } = gatewayWith(responses, { auth, headers });
    for (const input of [url, new URL(url), new Request(url)]) await gateway.fetch(input);
    const sent = requests.map((request) => Object.fromEntries(request.headers));
    expect(sent).toEqual([expected, expected, expected]);
  });

  it('neither limits nor repeats calls of other hosts, nor reads their errors', async () => {
    await using server = await startServer((_, response) => {
      setTimeout(() => response.writeHead(503).write('{'), 50);
    });
    const { fetch } = gatewayAt('https://g.example', { timeout: 1 });
    expect((await fetch(server.url)).status).toBe(503);
    expect(server.calls).toHaveLength(1);
  });

  it('keeps an Authorization header of the call, and all that a Request holds', async () => {
    const refusal = refused('ACCESS_TOKEN_EXPIRED', 401);
    const renewable = bearer(async () => 't');
    const { gateway, requests } = gatewayWith([refusal], { auth: renewable });
    const init = { method: 'POST', body: 'hi', cache: 'no-store' } as const;
    const mine = { Authorization: 'Bearer mine' };
    await gateway.fetch(new Request(gateway.service('x').url, { ...init, headers: mine }));
    const [sent] = requests as [Request];
    // Credentials that came with the call are not renewed.
    expect(requests).toHaveLength(1);
    expect([sent.method, sent.cache, await sent.text()]).toEqual(['POST', 'no-store', 'hi']);
    expect(sent.headers.get('Authorization')).toBe('Bearer mine');
    expect(sent.headers.get('Content-Type')).toMatch(/^text\/plain/);
  });
});

it('nothing that a caller passes is modified', async () => {
  await using server = await startServer(refuse('SERVICE_NOT_READY', 503), serve({}));
  const options = frozen({ auth, headers, retry: { attempts: 2, delay: 1 } });
  const gateway = gatewayAt(server.url, options as Partial<GatewayClientOptions>);
  const service = gateway.service('x');
  const call = frozen({ headers: { 'X-B': 'b' }, retry: { delay: 0 } });
  const params = { path: { name: 'x' }, query: {}, header: {} };
  const body = frozen({ a: [{ b: 1 }] });
  await gateway.fetch(service.url, frozen({ method: 'POST', body: 'a', ...call }));
  await service.get('a', call);
  await service.post('a', body, call);
  await service.request('a', frozen({ method: 'POST', body, ...call } as const));
  await gateway.POST('/v1/cloudrun/{name}', frozen({ params, body, ...call }) as never);
  const noStream = { kind: 'contract' };
  await expect(service.events('a', call).next()).rejects.toMatchObject(noStream);
  for (const sent of server.calls) expect(sent.headers).toMatchObject({ 'x-a': 'a', 'x-b': 'b' });
});
