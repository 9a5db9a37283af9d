import {
  type AnyBerthError,
  type BerthError,
  createGatewayClient,
  createStorageClient,
  isBerthError,
  unwrapEnvelope,
} from '@berth/client';
import { linksQuery, serviceQuery } from '@berth/client/react-query';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1' });
const credentials = { authorization: 'a', timestamp: 1 };
const storage = createStorageClient({ baseUrl: 'http://127.0.0.1', envId: 'dev', credentials });
const ANY = '/v1/cloudrun/{name}/{anyPath}';
const LINKS = '/api/v2/envs/{envId}/storages:batchGetTempUrls';

describe('gateway calls', () => {
  it('are typed from the contract', async () => {
    const params = { path: { name: 'hello', anyPath: 'a/b?x=1' } };
    const { data, error } = await gateway.GET(ANY, { params });
    // A service may also send text or bytes.
    expectTypeOf<{ [key: string]: unknown }>().toExtend<typeof data>();
    if (error) expectTypeOf(error.requestId).toBeString();
  });
});

describe('calls of a service', () => {
  interface Orders {
    '/items': {
      get: { responses: { 200: { content: { 'application/json': { id: number }[] } } } };
      post: {
        requestBody: { content: { 'application/json': { name: string } } };
        responses: { 204: { content?: never } };
      };
    };
  }

  it('have the type of the caller, of a schema, or of a document', async () => {
    const service = gateway.service('x');
    expectTypeOf(service.get('a')).resolves.toBeUnknown();
    expectTypeOf(service.get<number>('a')).resolves.toBeNumber();
    const schema = z.object({ a: z.string() });
    expectTypeOf(service.post('a', {}, { schema })).resolves.toEqualTypeOf<{ a: string }>();
    const { data, error } = await gateway.service<Orders>('x').GET('/items');
    expectTypeOf(data).toEqualTypeOf<{ id: number }[] | undefined>();
    if (error) expectTypeOf(error.code).toBeString();
  });

  it('need a document for GET and POST, and follow it', () => {
    // @ts-expect-error: there are no paths
    void (() => gateway.service('x').GET('/items'));
    // @ts-expect-error: the path is /items
    void (() => gateway.service<Orders>('x').GET('/item'));
    // @ts-expect-error: the name is text
    void (() => gateway.service<Orders>('x').POST('/items', { body: { name: 1 } }));
  });
});

it('queries are typed', () => {
  void (() => {
    const users = gateway.service('users');
    const { data, error } = useQuery(serviceQuery<{ name: string }>(users, '7'));
    expectTypeOf(data).toEqualTypeOf<{ name: string } | undefined>();
    expectTypeOf(error).toEqualTypeOf<BerthError | null>();
    const schema = z.object({ id: z.number() });
    const parsed = useSuspenseQuery(serviceQuery(users, '7', { schema }));
    expectTypeOf(parsed.data).toEqualTypeOf<{ id: number }>();
    const [link] = useSuspenseQuery(linksQuery(storage, ['a'])).data;
    if (link && !link.error) expectTypeOf(link.url).toEqualTypeOf<string>();
    // @ts-expect-error: headers are those of the client, because they would have to be part of the key
    serviceQuery(users, '7', { headers: {} });
  });
});

describe('storage calls', () => {
  it('need no environment and return the envelope, which unwraps with its types', async () => {
    const result = await storage.POST(LINKS, { body: { fileList: [{ fileID: 'a', maxAge: 60 }] } });
    expectTypeOf(result.data?.body.requestId).toEqualTypeOf<string | undefined>();
    const [item] = unwrapEnvelope(result).fileList;
    expectTypeOf(item?.tempFileURL).toEqualTypeOf<string | undefined>();
  });
});

it('errors are narrowed by their kind', () => {
  void ((error: unknown) => {
    if (isBerthError(error, 'upload')) expectTypeOf(error.status).toBeNumber();
    // @ts-expect-error: there is no such kind
    if (isBerthError(error, 'http') || !isBerthError(error)) throw error;
    expectTypeOf(error).toEqualTypeOf<AnyBerthError>();
    if (error.kind === 'gateway') expectTypeOf(error.code).toBeString();
    if (error.kind === 'service') expectTypeOf(error.status).toBeNumber();
    if (error.kind === 'network') expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: there is no such kind
    if (error.kind === 'http') throw error;
  });
});
