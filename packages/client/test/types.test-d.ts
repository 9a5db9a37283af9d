import {
  type AnyBerthError,
  type ContractIssue,
  createGatewayClient,
  createStorageClient,
  isBerthError,
  type ServiceEvent,
  unwrapEnvelope,
} from '@berth/client';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1' });
const credentials = { authorization: 'a', timestamp: 1 };
const storage = createStorageClient({ baseUrl: 'http://127.0.0.1', envId: 'dev', credentials });
const ROOT = '/v1/cloudrun/{name}';
const ANY = '/v1/cloudrun/{name}/{anyPath}';
const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';
const LINKS = '/api/v2/envs/{envId}/storages:batchGetTempUrls';

describe('gateway calls', () => {
  it('are typed from the contract', async () => {
    const { data, error } = await gateway.GET(ANY, {
      params: { path: { name: 'hello', anyPath: 'a/b?x=1' } },
    });
    expectTypeOf(data).toEqualTypeOf<{ [key: string]: unknown } | undefined>();
    if (error) expectTypeOf(error.requestId).toBeString();
  });

  it('return what parseAs selects', async () => {
    const init = { params: { path: { name: 'hello' } } };
    const text = await gateway.GET(ROOT, { ...init, parseAs: 'text' });
    expectTypeOf(text.data).toEqualTypeOf<string | undefined>();
  });

  it('refuse a misspelt name', () => {
    // @ts-expect-error: the parameter is name
    void (() => gateway.GET(ROOT, { params: { path: { name: 'hello', nam: 'hello' } } }));
    const params = { path: { name: 'hello' } };
    // @ts-expect-error: the option is signal
    void (() => gateway.GET(ROOT, { params, signl: AbortSignal.abort() }));
  });
});

describe('storage calls', () => {
  it('need no environment and return the envelope, which unwraps with its types', async () => {
    const result = await storage.POST(LINKS, { body: { fileList: [{ fileID: 'a', maxAge: 60 }] } });
    expectTypeOf(result.data?.body.requestId).toEqualTypeOf<string | undefined>();
    const [item] = unwrapEnvelope(result).fileList;
    expectTypeOf(item?.tempFileURL).toEqualTypeOf<string | undefined>();
  });

  it('refuse a wrong field name, required or not', () => {
    // @ts-expect-error: the field is fileList
    void (() => storage.POST(DELETE, { body: { files: ['a'] } }));
    // @ts-expect-error: the field is maxAge
    void (() => storage.POST(LINKS, { body: { fileList: [{ fileID: 'a', maxage: 60 }] } }));
  });

  it('refuse misspelt options of the file methods', () => {
    // @ts-expect-error: the option is maxAge
    void (() => storage.tempUrl('a', { maxage: 60 }));
    // @ts-expect-error: the option is overwrite
    void (() => storage.copy('/a', '/b', { overWrite: true }));
    // @ts-expect-error: a number is no content
    void (() => storage.upload('a', 1));
    expectTypeOf(storage.upload('a', 'b')).resolves.toEqualTypeOf<{ readonly fileID: string }>();
  });
});

describe('errors', () => {
  it('are distinguished by their name', () => {
    void ((error: unknown) => {
      if (!isBerthError(error)) throw error;
      expectTypeOf(error).toEqualTypeOf<AnyBerthError>();
      switch (error.name) {
        case 'GatewayError':
          return expectTypeOf(error.source).toEqualTypeOf<'gateway' | 'service'>();
        case 'TimeoutError':
          return expectTypeOf(error.timeout).toBeNumber();
        case 'ContractError':
          return expectTypeOf(error.issues).toEqualTypeOf<readonly ContractIssue[]>();
        case 'StorageError':
        case 'UploadError':
        case 'NetworkError':
          return expectTypeOf(error.path).toBeString();
        default:
          return expectTypeOf(error).toBeNever();
      }
    });
  });
});

describe('events', () => {
  const service = gateway.service('news');

  it('have strings as data, or the output of a schema', () => {
    void (async () => {
      for await (const event of service.events('a', { lastEventId: '1' })) {
        expectTypeOf(event).toEqualTypeOf<ServiceEvent<string>>();
      }
      const schema = z.object({ price: z.number() });
      for await (const { data } of service.events('a', { schema })) {
        expectTypeOf(data).toEqualTypeOf<{ price: number }>();
      }
    });
  });

  it('have no other type without a schema', () => {
    // @ts-expect-error: nothing checks that the data is a number
    void (() => service.events<number>('a'));
  });
});

describe('options', () => {
  it('need a URL and credentials', () => {
    // @ts-expect-error: gatewayDomain is missing
    void (() => createGatewayClient({ envId: 'dev' }));
    // @ts-expect-error: envId is missing
    void (() => createStorageClient({ baseUrl: '', credentials }));
    const unsigned = { authorization: '' };
    // @ts-expect-error: timestamp is missing
    void (() => createStorageClient({ baseUrl: '', envId: 'dev', credentials: unsigned }));
  });
});
