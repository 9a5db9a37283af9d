import { createGatewayClient, createStorageClient } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { failureOf, fakeFetch, json, list } from './support/fake-fetch.ts';
import { credentials, storageWith } from './support/storage.ts';

const ROOT = '/v1/cloudrun/{name}';
const ANY = '/v1/cloudrun/{name}/{anyPath}';

describe('a base URL', () => {
  it.each(['https://a.example', 'http://127.0.0.1:4010/', 'https://a.example/base', '', '/base'])(
    'may be %j',
    (baseUrl) => {
      expect(() => createGatewayClient({ baseUrl })).not.toThrow();
    },
  );

  it.each([
    'https://user@a.example',
    'https://:5ec4e7@a.example',
    'https://a.example/?x=5ec4e7',
    'https://a.example/#x',
    'user:5ec4e7@a.example',
  ])('must not be %j, which is not repeated', (baseUrl) => {
    const error = new TypeError('baseUrl must not contain credentials, a query or a fragment.');
    expect(() => createGatewayClient({ baseUrl })).toThrow(error);
    expect(() => createStorageClient({ baseUrl, envId: 'dev', credentials })).toThrow(error);
  });

  it.each(['localhost:4010', 'a.example', 'ftp://a.example', 'http://a:99999'])(
    'must not be %j, which is not an http URL',
    (baseUrl) => {
      const text = `baseUrl must be an absolute http(s) URL, got "${baseUrl}".`;
      expect(() => createGatewayClient({ baseUrl })).toThrow(new TypeError(text));
    },
  );

  it.each([
    ['a.b', 'gateway.example'],
    ['evil.example/', 'gateway.example'],
    ['a@b', 'gateway.example'],
    ['dev', ''],
    ['dev', 'https://gateway.example'],
    ['dev', 'gateway.example/v1'],
  ])('cannot be made of the environment %j and the domain %j', (envId, gatewayDomain) => {
    expect(() => createGatewayClient({ envId, gatewayDomain })).toThrow(
      'Set baseUrl, or set gatewayDomain to a host name and envId to a single host name label.',
    );
  });
});

describe('the path of a call', () => {
  /** Returns the URL that `fetch` gets, before the platform parses it. */
  async function urlOf(path: string): Promise<string> {
    let seen = '';
    const fetch = async (url: string) => {
      seen = url;
      return json({});
    };
    await createGatewayClient({ baseUrl: 'https://g.example', fetch }).service('hello').get(path);
    return seen.replace('https://g.example/v1/cloudrun/hello', '');
  }

  it.each([
    'a/b',
    '/a//b/',
    'a%2Fb',
    '%252e%252e/x',
    '...',
    'a..b',
    '你好/é',
    "a b/(c)'d",
    '?x=1',
    'a?x=../..&y=%2e%2e/.\\',
  ])('is not changed: %j', async (path) => {
    expect(await urlOf(path)).toBe(path.startsWith('/') ? path : `/${path}`);
  });

  it.each([
    ['..', '".."'],
    ['a/../b', '".."'],
    ['a/%2e%2E/b', '"%2e%2E"'],
    ['a/.%2e', '".%2e"'],
    ['%2E?x', '"%2E"'],
    ['a\\..\\b', '"a\\..\\b"'],
    ['a#b', '%23'],
    ['a\tb', '%09'],
    ['.\n./b', '%0A'],
    ['a ', '%20'],
  ])('is refused if fetch would change it: %j', async (anyPath, named) => {
    const { fetch, requests } = fakeFetch();
    const gateway = createGatewayClient({ baseUrl: 'https://g.example', fetch });
    const service = gateway.service('hello');
    const calls = [
      gateway.GET(ANY, { params: { path: { name: 'hello', anyPath } } }),
      service.get(anyPath),
      service.request(anyPath),
      service.connect(anyPath),
      service.events(anyPath).next(),
    ];
    for (const call of calls.map(failureOf)) {
      const error = await call;
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(named);
    }
    expect(requests).toEqual([]);
  });

  it('contains the name of the service as one segment', async () => {
    const { fetch, requests } = fakeFetch(json({}));
    const gateway = createGatewayClient({ baseUrl: 'https://g.example', fetch });
    await gateway.GET(ROOT, { params: { path: { name: 'a/b?c#d é' } } });
    expect(requests[0]?.url).toBe('https://g.example/v1/cloudrun/a%2Fb%3Fc%23d%20%C3%A9');
    for (const name of ['..', '.', '', undefined as never]) {
      expect(await failureOf(gateway.service(name).get())).toBeInstanceOf(TypeError);
      const raw = gateway.GET(ROOT, { params: { path: { name } } });
      expect(await failureOf(raw)).toBeInstanceOf(TypeError);
    }
  });
});

describe('a link', () => {
  it.each([
    ['https://h/a%20b.txt?sign=a%2Fb', 'https://h/a%20b.txt?sign=a%2Fb'],
    ['https://h/a b.txt', 'https://h/a%20b.txt'],
    ['https://h/a ', 'https://h/a%20'],
    ['https://h/报告.txt?sign=1', 'https://h/%E6%8A%A5%E5%91%8A.txt?sign=1'],
    ['https://h/100%.txt', 'https://h/100%25.txt'],
    ['https://h/%E6%8A%A5 x%zz', 'https://h/%E6%8A%A5%20x%25zz'],
    ['https://h/a#b.txt?sign=1', 'https://h/a%23b.txt?sign=1'],
    ['https://h/a\\b.txt', 'https://h/a%5Cb.txt'],
  ])('%j is encoded once: %j', async (tempFileURL, url) => {
    const { storage } = storageWith([list({ fileID: 'a', code: 'SUCCESS', tempFileURL })]);
    expect(await storage.tempUrl('a')).toBe(url);
  });

  it.each([undefined, '', '/a.txt', 'no address', 'file:///a'])(
    '%j is an error',
    async (tempFileURL) => {
      const { storage } = storageWith([list({ fileID: 'a', code: 'SUCCESS', tempFileURL })]);
      expect(String(await failureOf(storage.tempUrl('a')))).toContain('no valid URL');
    },
  );
});
