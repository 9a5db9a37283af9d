import { createGatewayClient, createStorageClient } from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { faultServer, refuse } from './support/fault-server.ts';

const retry = { attempts: 2, baseDelay: 1 };

describe('a refusal of the gateway is repeated as its row says (D6)', () => {
  it.each(
    defaults.gatewayErrors
      .filter(({ code }) => code !== 'ACCESS_TOKEN_EXPIRED')
      .map(({ code, status, retry: column }) => [code, column, status] as const),
  )('%s: %s', async (code, column, status) => {
    await using server = await faultServer(refuse(code, status));
    const service = createGatewayClient({ baseUrl: server.baseUrl, retry }).service('x');
    const count = async (call: Promise<unknown>) => {
      const before = server.calls.length;
      expect(await failureOf(call)).toMatchObject({ code, retryable: column !== 'never' });
      return server.calls.length - before;
    };
    expect({
      get: await count(service.get('a')),
      post: await count(service.post('a', {})),
      idempotentPost: await count(service.post('a', {}, { idempotent: true })),
    }).toEqual({
      get: column === 'never' ? 1 : 2,
      post: column === 'any' ? 2 : 1,
      idempotentPost: column === 'never' ? 1 : 2,
    });
  });
});

describe('a storage call is repeated as its operation allows (D26)', () => {
  const path = { srcPath: '/a', dstPath: '/b' };
  const storageOf = (baseUrl: string) =>
    createStorageClient({
      baseUrl,
      envId: 'dev',
      credentials: { authorization: 'a', timestamp: 1 },
      retry,
    });

  it.each([
    ['getUploadMetaData', (baseUrl: string) => storageOf(baseUrl).upload('a', 'x')],
    ['batchGetTempUrls', (baseUrl: string) => storageOf(baseUrl).tempUrl('a')],
    ['batchDelete', (baseUrl: string) => storageOf(baseUrl).delete('a')],
    ['batchCopyFile', (baseUrl: string) => storageOf(baseUrl).copy(path.srcPath, path.dstPath)],
  ] as const)('%s', async (operation, call) => {
    const { idempotent } = defaults.operations[operation];
    const counts: Record<string, number> = {};
    for (const [name, status] of Object.entries({ busy: 503, limited: 429, refused: 400 })) {
      await using server = await faultServer(refuse('SYS_ERR', status));
      await failureOf(call(server.baseUrl) as Promise<unknown>);
      expect(server.calls[0]?.url).toMatch(new RegExp(`:${operation}$`));
      counts[name] = server.calls.length;
    }
    expect(counts).toEqual({ busy: idempotent ? 2 : 1, limited: 2, refused: 1 });
  });

  it('no sooner than Retry-After says', async () => {
    const delays: number[] = [];
    await using server = await faultServer(refuse('SYS_ERR', 429, { 'Retry-After': '1' }));
    const hooks = { onRetry: ({ delay }: { delay: number }) => void delays.push(delay) };
    const storage = createStorageClient({
      baseUrl: server.baseUrl,
      envId: 'dev',
      credentials: { authorization: 'a', timestamp: 1 },
      retry,
      hooks,
    });
    await failureOf(storage.delete('a'));
    expect([delays, server.calls.length]).toEqual([[1000], 2]);
  });
});
