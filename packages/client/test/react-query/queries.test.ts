import './dom.ts';
import { bearer, createGatewayClient, type StorageClient } from '@berth/client';
import { createGatewayQueries, createStorageQueries } from '@berth/client/react-query';
import { createMock, type Mock } from '@berth/mock';
import { useMutation, useQuery } from '@tanstack/react-query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultServer, hang, refuse, serve } from '../support/fault-server.ts';
import { storageAt } from '../support/storage.ts';
import { act, renderHook, waitFor } from './render.ts';

const LINKS = '/api/v2/envs/{envId}/storages:batchGetTempUrls';
const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';

let mock: Mock;
let storage: StorageClient;
beforeAll(async () => {
  mock = await createMock({ port: 0, env: 'dev' });
  storage = storageAt(mock.storageUrl);
});
afterAll(() => mock.close());

const queriesOf = (baseUrl: string) =>
  createGatewayQueries(createGatewayClient({ baseUrl, auth: bearer('t'), retry: false }));

describe('queries of a hosted service', () => {
  it('show the payload', async () => {
    await using server = await faultServer(serve({ name: 'Ada' }));
    const users = queriesOf(server.baseUrl).service('users');
    const { result, queryClient } = renderHook(() => useQuery(users.get<{ name: string }>('7')));
    expect(result.current.isPending).toBe(true);
    await waitFor(() => expect(result.current.data).toEqual({ name: 'Ada' }));
    expect(server.calls[0]?.url).toBe('/v1/cloudrun/users/7');

    await act(() => queryClient.invalidateQueries({ queryKey: users.queryKey }));
    expect(server.calls).toHaveLength(2);
  });

  it('show null for an empty response', async () => {
    await using server = await faultServer((_, response) => response.writeHead(204).end());
    const users = queriesOf(server.baseUrl).service('users');
    const { result } = renderHook(() => useQuery(users.get()));
    await waitFor(() => expect(result.current.data).toBeNull());
  });

  it('abort the call when the component unmounts', async () => {
    const { promise: ended, resolve: gone } = Promise.withResolvers<void>();
    await using server = await faultServer((request, response) => {
      response.on('close', gone);
      hang(request, response);
    });
    const users = queriesOf(server.baseUrl).service('users');
    const { unmount } = renderHook(() => useQuery(users.get('7')));
    await waitFor(() => expect(server.calls).toHaveLength(1));
    unmount();
    await ended;
  });

  it('fail immediately with a Berth error, because the client itself retries', async () => {
    await using server = await faultServer(refuse('SERVICE_NOT_FOUND', 404));
    const users = queriesOf(server.baseUrl).service('users');
    const { result } = renderHook(() => useQuery(users.get('7')));
    await waitFor(() => expect(result.current.error).not.toBeNull());
    expect(result.current.error).toMatchObject({
      name: 'GatewayError',
      code: 'SERVICE_NOT_FOUND',
      requestId: 'r-1',
    });
    expect(server.calls).toHaveLength(1);
  });

  it('post the variables of the mutation', async () => {
    await using server = await faultServer(serve({ id: 3 }));
    const orders = queriesOf(server.baseUrl).service('orders');
    const { result } = renderHook(() => useMutation(orders.post<{ id: number }>('new')));
    act(() => result.current.mutate({ item: 3 }));
    await waitFor(() => expect(result.current.data).toEqual({ id: 3 }));
    expect(server.calls[0]).toMatchObject({ method: 'POST', url: '/v1/cloudrun/orders/new' });
  });
});

describe('raw operations', () => {
  it('of the gateway fail with an error of the family', async () => {
    await using server = await faultServer(refuse('SERVICE_FORBIDDEN', 403));
    const queries = queriesOf(server.baseUrl);
    const params = { path: { name: 'hello' } };
    const { result } = renderHook(() => queries.useMutation('post', '/v1/cloudrun/{name}'));
    act(() => result.current.mutate({ params, body: { item: 3 } }));
    const error = { name: 'GatewayError', code: 'SERVICE_FORBIDDEN' };
    await waitFor(() => expect(result.current.error).toMatchObject(error));
  });

  it('of the storage show the content of the envelope', async () => {
    const files = createStorageQueries(storage);
    const { fileID } = await storage.upload('raw.txt', 'Hello');
    const body = { fileList: [{ fileID }, { fileID: 'cloud://dev.files/none' }] };
    const { result } = renderHook(() => files.useQuery('post', LINKS, { body }));
    await waitFor(() => expect(result.current.data).toBeDefined());
    expect(result.current.data?.fileList.map(({ code }) => code)).toEqual([
      'SUCCESS',
      'STORAGE_FILE_NONEXIST',
    ]);
  });

  it('of the storage fail with an error of the family, also with status 200', async () => {
    const refused = {
      statusCode: 200,
      body: { requestId: 'r-1', code: 'SYS_ERR', message: 'No.' },
    };
    await using server = await faultServer(serve(refused));
    const files = createStorageQueries(storageAt(server.baseUrl, { retry: false }));
    const { result } = renderHook(() => files.useMutation('post', DELETE));
    act(() => result.current.mutate({ body: { fileList: ['a'] } }));
    const error = { name: 'StorageError', code: 'SYS_ERR', requestId: 'r-1' };
    await waitFor(() => expect(result.current.error).toMatchObject(error));
  });
});
