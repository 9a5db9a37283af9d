import {
  type AnyBerthError,
  type BerthError,
  createGatewayClient,
  createStorageClient,
  isBerthError,
} from '@berth/client';
import { linksQuery, serviceQuery } from '@berth/client/react-query';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1' });
const credentials = { authorization: 'a', timestamp: 1 };
const storage = createStorageClient({ baseUrl: 'http://127.0.0.1', envId: 'dev', credentials });
const service = gateway.service('x');

interface Orders {
  '/items': {
    get: { responses: { 200: { content: { 'application/json': { id: number }[] } } } };
    post: {
      requestBody: { content: { 'application/json': { name: string } } };
      responses: { 204: { content?: never } };
    };
  };
}

it('calls of the gateway are typed by the contract', async () => {
  const params = { path: { name: 'hello', anyPath: 'a/b?x=1' } };
  const { data, error } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params });
  // A service may also send text or bytes.
  expectTypeOf<{ [key: string]: unknown }>().toExtend<typeof data>();
  if (error) expectTypeOf(error.requestId).toBeString();
  // @ts-expect-error: the client has a `fetch` of its own
  void (() => gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params, fetch }));
  // @ts-expect-error: the client has a base URL of its own
  void (() => gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params, baseUrl: 'http://a' }));
  // @ts-expect-error: the client fills in the path itself
  void (() => gateway.GET('/v1/cloudrun/{name}', { params, pathSerializer: () => '/' }));
  // @ts-expect-error: options of the client are checked
  void (() => gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params, timeout: '1' }));
  void (() => gateway.GET('/v1/cloudrun/{name}', { params, timeout: 1, cache: 'no-store' }));
});

it('calls of a service are typed by the caller, a schema or a document', async () => {
  expectTypeOf(service.get('a')).resolves.toBeUnknown();
  expectTypeOf(service.get<number>('a')).resolves.toBeNumber();
  const schema = z.object({ a: z.string() });
  expectTypeOf(service.post('a', {}, { schema })).resolves.toEqualTypeOf<{ a: string }>();
  const { data, error } = await gateway.service<Orders>('x').GET('/items');
  expectTypeOf(data).toEqualTypeOf<{ id: number }[] | undefined>();
  if (error) expectTypeOf(error.code).toBeString();
  // @ts-expect-error: there is no document
  void (() => service.GET('/items'));
  // @ts-expect-error: the path is /items
  void (() => gateway.service<Orders>('x').GET('/item'));
  // @ts-expect-error: the name is text
  void (() => gateway.service<Orders>('x').POST('/items', { body: { name: 1 } }));
});

it('queries are typed by the caller or a schema', () => {
  const { data, error } = useQuery(serviceQuery<{ name: string }>(service, '7'));
  expectTypeOf(data).toEqualTypeOf<{ name: string } | undefined>();
  expectTypeOf(error).toEqualTypeOf<BerthError | null>();
  const schema = z.object({ id: z.number() });
  const parsed = useSuspenseQuery(serviceQuery(service, '7', { schema }));
  expectTypeOf(parsed.data).toEqualTypeOf<{ id: number }>();
  const [link] = useSuspenseQuery(linksQuery(storage, ['a'])).data;
  if (link && !link.error) expectTypeOf(link.url).toEqualTypeOf<string>();
  // @ts-expect-error: headers are those of the client, because they would have to be part of the key
  serviceQuery(service, '7', { headers: {} });
});

it('errors are narrowed by their kind', () => {
  const error: unknown = undefined;
  if (isBerthError(error, 'upload')) expectTypeOf(error.status).toBeNumber();
  // @ts-expect-error: there is no such kind
  if (isBerthError(error, 'http') || !isBerthError(error)) throw error;
  expectTypeOf(error).toEqualTypeOf<AnyBerthError>();
  if (error.kind === 'gateway') expectTypeOf(error.code).toBeString();
  if (error.kind === 'network') expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
});
