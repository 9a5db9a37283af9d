import { createGatewayClient } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, gatewayAt, gatewayWith } from './support/clients.ts';
import { json } from './support/responses.ts';
import { serve, startServer } from './support/servers.ts';

const ROOT = '/v1/cloudrun/{name}';
const ANY = '/v1/cloudrun/{name}/{anyPath}';

it.each([
  ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010', undefined],
  ['HTTPS://A.example/base', 'https://a.example/base', undefined],
  ['/api', 'https://page.example/api', 'https://page.example/app?a#b'],
])('a base URL can be %s, but not empty, even in a page', (baseUrl, expected, page) => {
  vi.stubGlobal('location', page && { href: page });
  const { url } = createGatewayClient({ baseUrl }).service('x');
  const error = expect.objectContaining({ kind: 'options' });
  expect(() => createGatewayClient({ baseUrl: '' })).toThrow(error);
  vi.unstubAllGlobals();
  expect(url).toBe(`${expected}/v1/cloudrun/x`);
});

describe('the path of a call', () => {
  it.each<[string, string, string?]>([
    ['CL-PATH-SEGMENTS', 'a/b/c'],
    ['CL-PATH-ESCAPES', 'a%2Fb/%252e%252e/x'],
    ['CL-PATH-SLASHES', '/a//b/', '/a//b/'],
    ['CL-PATH-UNICODE', '你好/é', '/%E4%BD%A0%E5%A5%BD/%C3%A9'],
    ['CL-PATH-UNICODE', "a b/(c)'d", "/a%20b/(c)'d"],
    ['CL-PATH-DOTS', '.../a..b/.c'],
    ['CL-QUERY-RAW', '?x=1'],
    ['CL-QUERY-RAW', 'a?x=../..&y=%2e%2e/.\\&x=a+b&&z'],
    ['CL-QUERY-RAW', `a?x=O'B "<é>{|}`, '/a?x=O%27B%20%22%3C%C3%A9%3E{|}'],
    ['CL-PATH-ROOT', '', ''],
    ['CL-PATH-ROOT', '/', ''],
  ])('%s: is sent as it is: %j', async (_, path, expected = `/${path}`) => {
    await using server = await startServer(serve({}));
    const gateway = gatewayAt(server.url);
    const service = gateway.service('x');
    const anyPath = path.replace(/^\//, '');
    const raw = anyPath ? ANY : ROOT;
    await service.get(path);
    await service.post(path);
    await service.request(path);
    await gateway.GET(raw, { params: { path: { name: 'x', anyPath } } });
    expect(server.calls.map(({ url }) => url)).toEqual(Array(4).fill(`/v1/cloudrun/x${expected}`));
  });

  it.each([
    ['..', '".."'],
    ['a/../b', '".."'],
    ['a/%2e%2E/b', '"%2e%2E"'],
    ['%2E?x', '"%2E"'],
    ['a\\..\\b', '"a\\\\..\\\\b"'],
    ['a#b', '"#"'],
    ['a\tb', '"\\t"'],
    ['a ', '" "'],
  ])('CL-PATH-DOTS: is rejected if fetch would change it: %j', async (anyPath, part) => {
    const { gateway, service, requests } = gatewayWith([]);
    const calls = [
      gateway.GET(ANY, { params: { path: { name: 'x', anyPath } } }),
      service.get(anyPath),
      service.request(anyPath),
      service.connect(anyPath),
      service.events(anyPath).next(),
    ];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ kind: 'options', message: expect.stringContaining(part) });
    }
    expect(requests).toEqual([]);
  });

  it('contains the name of the service as one segment', async () => {
    const { gateway, requests } = gatewayWith([json({})]);
    await gateway.GET(ROOT, { params: { path: { name: 'a/b?c#d é' } } });
    expect(requests[0]?.url).toBe('https://g.example/v1/cloudrun/a%2Fb%3Fc%23d%20%C3%A9');
    const error = { kind: 'options' };
    for (const name of ['..', '.', '', '\ud800', undefined as never]) {
      expect(() => gateway.service(name)).toThrow(expect.objectContaining(error));
      await expect(gateway.GET(ROOT, { params: { path: { name } } })).rejects.toMatchObject(error);
    }
  });
});
