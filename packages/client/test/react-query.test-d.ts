import {
  type BerthError,
  createGatewayClient,
  createStorageClient,
  type GatewayError,
  isGatewayError,
} from '@berth/client';
import { createGatewayQueries, createStorageQueries, useUpload } from '@berth/client/react-query';
import {
  QueryClient,
  useMutation,
  useQueries,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

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

  it('have the type of their schema', () => {
    const schema = z.object({ id: z.number() });
    void (() => {
      expectTypeOf(useQuery(users.get('7', { schema })).data).toEqualTypeOf<
        { id: number } | undefined
      >();
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
      const enabled = useQuery({ ...users.get<User>('7'), enabled: false });
      expectTypeOf(enabled.data).toEqualTypeOf<User | undefined>();
      const name = useQuery({ ...users.get<User>('7'), select: (user) => user.name });
      expectTypeOf(name.data).toEqualTypeOf<string | undefined>();
    });
  });

  it('accept no headers, which would have to be part of the key', () => {
    // @ts-expect-error: headers are those of the client
    void (() => users.get('7', { headers: {} }));
  });

  it('post a typed body', () => {
    void (() => {
      const mutation = useMutation(users.post<User, { item: number }>('7/orders'));
      expectTypeOf(mutation.mutate).parameter(0).toEqualTypeOf<{ item: number }>();
      expectTypeOf(mutation.data).toEqualTypeOf<User | undefined>();
      expectTypeOf(mutation.error).toEqualTypeOf<BerthError | null>();
    });
  });
});

describe('raw operations', () => {
  it('of the gateway are typed by the contract', () => {
    void (() => {
      const params = { path: { name: 'hello', anyPath: 'a' } };
      const { data, error } = queries.useQuery('get', ANY, { params });
      expectTypeOf(data).toEqualTypeOf<{ [key: string]: unknown } | undefined>();
      expectTypeOf(error).toEqualTypeOf<BerthError | null>();
      const text = queries.useQuery('get', ANY, { params, parseAs: 'text' });
      expectTypeOf(text.data).toEqualTypeOf<string | undefined>();
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

describe('uploads', () => {
  it('are typed', () => {
    void (() => {
      const upload = useUpload(storage, {
        onSuccess: ({ fileID }) => expectTypeOf(fileID).toBeString(),
      });
      upload.mutate({ path: 'a.txt', data: 'Hello', contentType: 'text/plain' });
      expectTypeOf(upload.progress?.loaded).toEqualTypeOf<number | undefined>();
      expectTypeOf(upload.error).toEqualTypeOf<BerthError | null>();
      // @ts-expect-error: the path is missing
      upload.mutate({ data: 'Hello' });
      // @ts-expect-error: a number is no content
      useMutation(files.upload()).mutate({ path: 'a.txt', data: 1 });
    });
  });
});
