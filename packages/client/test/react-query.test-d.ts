import {
  type BerthError,
  createGatewayClient,
  createStorageClient,
  type GatewayError,
  isGatewayError,
} from '@berth/client';
import { createGatewayQueries, createStorageQueries } from '@berth/client/react-query';
import { QueryClient, useQueries, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { describe, expectTypeOf, it } from 'vitest';

interface User {
  name: string;
}

const queries = createGatewayQueries(createGatewayClient({ baseUrl: 'http://127.0.0.1' }));
const users = queries.service('users');
const storage = createStorageClient({
  baseUrl: 'http://127.0.0.1',
  envId: 'dev',
  credentials: { authorization: 'a', timestamp: 1 },
});
const files = createStorageQueries(storage);
const ANY = '/v1/cloudrun/{name}/{anyPath}';
const LINKS = '/api/v2/envs/{envId}/storages:batchGetTempUrls';

describe('queries of a service', () => {
  it('have the type of the payload, and errors of the family', () => {
    void (() => {
      const { data, error } = useQuery(users.get<User>('7'));
      expectTypeOf(data).toEqualTypeOf<User | undefined>();
      expectTypeOf(error).toEqualTypeOf<BerthError | null>();
      if (isGatewayError(error)) expectTypeOf(error).toExtend<GatewayError>();
      expectTypeOf(useSuspenseQuery(users.get<User>('7')).data).toEqualTypeOf<User>();
    });
  });

  it('are accepted wherever query options are', () => {
    const client = new QueryClient();
    void (async () => {
      expectTypeOf(await client.fetchQuery(users.get<User>('7'))).toEqualTypeOf<User>();
      const { queryKey } = users.get<User>('7');
      expectTypeOf(client.getQueryData(queryKey)).toEqualTypeOf<User | undefined>();
      const [first] = useQueries({ queries: [users.get<User>('7'), files.tempUrl('a')] });
      expectTypeOf(first.data).toEqualTypeOf<User | undefined>();
      const name = useQuery({ ...users.get<User>('7'), select: (user) => user.name });
      expectTypeOf(name.data).toEqualTypeOf<string | undefined>();
    });
  });

  it('accept no headers, which would have to be part of the key', () => {
    // @ts-expect-error: headers are those of the client
    void (() => users.get('7', { headers: {} }));
  });
});

describe('raw operations', () => {
  it('of the gateway are typed by the contract', () => {
    void (() => {
      const params = { path: { name: 'hello', anyPath: 'a' } };
      const { data, error } = queries.useQuery('get', ANY, { params });
      expectTypeOf(data).toEqualTypeOf<{ [key: string]: unknown } | undefined>();
      expectTypeOf(error).toEqualTypeOf<BerthError | null>();
      // @ts-expect-error: anyPath is missing
      queries.useQuery('get', ANY, { params: { path: { name: 'hello' } } });
      // @ts-expect-error: no such path
      queries.useQuery('get', '/v2/cloudrun/{name}', { params });
      // @ts-expect-error: no such method
      queries.useQuery('put', ANY, { params });
    });
  });

  it('of the storage return the data of the envelope and need no environment', () => {
    void (() => {
      const { data, error } = files.useQuery('post', LINKS, {
        body: { fileList: [{ fileID: 'a' }] },
      });
      expectTypeOf(data?.fileList[0]?.tempFileURL).toEqualTypeOf<string | undefined>();
      expectTypeOf(error).toEqualTypeOf<BerthError | null>();
      const { mutate } = files.useMutation('post', '/api/v2/envs/{envId}/storages:batchDelete');
      mutate({ body: { fileList: ['a'] } });
      // @ts-expect-error: the field is fileList
      mutate({ body: { files: ['a'] } });
      // @ts-expect-error: the upload target is no operation for queries
      files.useMutation('post', '/');
    });
  });
});
