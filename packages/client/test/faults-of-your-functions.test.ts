import {
  bearer,
  createGatewayClient,
  type GatewayClientOptions,
  type StorageClientOptions,
  type StorageCredentialsSource,
  tc3Storage,
} from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { faultServer, refuse, serve } from './support/fault-server.ts';
import { serveStorage } from './support/loopback.ts';
import { storageWith } from './support/storage.ts';

const mine = new Error('mine');
const fail = () => {
  throw mine;
};
const reject = () => Promise.reject(mine);
const ok = serve({ a: 1 });
const services = (baseUrl: string, options: Partial<GatewayClientOptions> = {}) =>
  createGatewayClient({ retry: { baseDelay: 1 }, ...options, baseUrl } as GatewayClientOptions);

describe('a function of yours that fails', () => {
  it.each<[string, Partial<GatewayClientOptions>]>([
    ['auth', { auth: { authorize: fail } }],
    ['auth that gives a promise', { auth: { authorize: reject } }],
  ])('ends the call with its own error, and is not called again: %s', async (_, options) => {
    await using server = await faultServer(ok);
    const service = services(server.baseUrl, options).service('x');
    const calls = [service.get(), service.post(), service.request()];
    for (const error of await Promise.all(calls.map(failureOf))) expect(error).toBe(mine);
    expect(await failureOf(service.events().next())).toBe(mine);
    expect(server.calls).toHaveLength(0);
  });

  it('ends the call with its own error: refresh', async () => {
    await using server = await faultServer(refuse('ACCESS_TOKEN_EXPIRED', 401));
    const auth = { authorize: () => 'Bearer a', refresh: reject };
    expect(await failureOf(services(server.baseUrl, { auth }).service('x').get())).toBe(mine);
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['throws', fail],
    ['rejects', reject],
  ])('is the `cause` for all waiting calls: a token that %s', async (_, give) => {
    await using server = await faultServer(ok);
    const provider = vi.fn<() => string | Promise<string>>(give);
    const service = services(server.baseUrl, { auth: bearer(provider) }).service('x');
    const all = [service.get(), service.get(), service.get()].map(failureOf);
    for (const error of await Promise.all(all)) {
      expect(error).toMatchObject({
        message: 'Getting the token failed: Error: mine',
        cause: mine,
      });
    }
    expect(provider).toHaveBeenCalledTimes(1);
    provider.mockImplementation(() => 'later');
    expect(await service.get()).toEqual({ a: 1 });
  });

  it.each([
    ['throws', fail],
    ['rejects', reject],
  ])('ends the call with its own error: a validator that %s', async (_, validate) => {
    const event = serve({}, 200, { 'Content-Type': 'text/event-stream' });
    await using server = await faultServer(
      ok,
      ok,
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('data: 1\n\n');
      },
      event,
    );
    const service = services(server.baseUrl).service('x');
    const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate } };
    expect(await failureOf(service.get('a', { schema }))).toBe(mine);
    expect(await failureOf(service.post('a', {}, { schema }))).toBe(mine);
    expect(await failureOf(service.events('a', { schema }).next())).toBe(mine);
    expect(server.calls).toHaveLength(3);
  });

  it('ends the call with its own error: middleware of openapi-fetch', async () => {
    await using server = await faultServer(ok);
    const params = { path: { name: 'x' } };
    for (const error of [mine, new TypeError('mine'), new SyntaxError('mine')]) {
      const onRequest = () => Promise.reject(error);
      for (const middleware of [{ onRequest }, { onResponse: onRequest }]) {
        const gateway = services(server.baseUrl);
        gateway.use(middleware);
        expect(await failureOf(gateway.GET('/v1/cloudrun/{name}', { params }))).toBe(error);
      }
    }
  });

  it('is a NetworkError with its own error as cause: fetch', async () => {
    const service = services('http://g.example', { fetch: fail }).service('x');
    expect(await failureOf(service.post())).toMatchObject({
      name: 'NetworkError',
      cause: { message: 'mine' },
    });
  });

  it('ends the handshake with its own error: webSocket', async () => {
    const service = services('http://g.example', { webSocket: fail }).service('x');
    expect(await failureOf(service.connect())).toBe(mine);
  });
});

describe('storage credentials that fail', () => {
  const withCredentials = (credentials: StorageCredentialsSource) =>
    storageWith([], { credentials });

  it.each<[string, StorageCredentialsSource, unknown]>([
    ['a function that throws', fail, mine],
    ['a function that rejects', reject, mine],
    ['a function that gives nothing', () => undefined as never, expect.any(TypeError)],
    ['a key pair that does not come', tc3Storage(reject), expect.objectContaining({ cause: mine })],
    [
      'half a key pair',
      tc3Storage(() => ({ secretId: 'a', secretKey: '' })),
      expect.any(TypeError),
    ],
  ])(
    'end a call for one file, and are the error of each file of a list: %s',
    async (_, source, error) => {
      const { storage, requests } = withCredentials(source);
      expect(await failureOf(storage.tempUrl('a'))).toEqual(error);
      expect(await failureOf(storage.upload('a', 'hello'))).toEqual(error);
      expect(await failureOf(storage.download('a'))).toEqual(error);
      const results = await storage.delete(['a', 'b']);
      expect(results).toEqual([
        { fileID: 'a', error },
        { fileID: 'b', error },
      ]);
      expect(requests).toEqual([]);
    },
  );

  it.each(['text', '', 0, null])(
    'with something other than an Error, %j, still count as a failure',
    async (thrown) => {
      const { storage } = withCredentials(() => Promise.reject(thrown));
      expect(await failureOf(storage.delete('a'))).toBe(thrown);
      expect(await storage.delete(['a'])).toEqual([{ fileID: 'a', error: thrown }]);
    },
  );
});

describe('a callback that fails', () => {
  const watched: Partial<StorageClientOptions> = { onWarning: fail };

  it('ends the call with its own error: onWarning', async () => {
    const { storage, requests } = storageWith([], watched);
    expect(await failureOf(storage.tempUrl('a', { maxAge: 3_601 }))).toBe(mine);
    expect(requests).toEqual([]);
  });

  it('aborts a download and closes its connection: onProgress', async () => {
    const closed = Promise.withResolvers<void>();
    await using served = await serveStorage((request, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('a');
      request.socket.on('close', () => closed.resolve());
    });
    const response = await served.storage.download('a', { onProgress: fail });
    expect(await failureOf(response.text())).toBe(mine);
    await closed.promise;
  });
});
