import './dom.ts';
import { bearer, createGatewayClient } from '@berth/client';
import { serviceQuery } from '@berth/client/react-query';
import { createMock, type Mock, routes } from '@berth/mock';
import { useQuery } from '@tanstack/react-query';
import createQueries from 'openapi-react-query';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { act, renderHook, waitFor } from './render.ts';

const started = Promise.withResolvers<void>();
const aborted = Promise.withResolvers<void>();
const users = routes({
  'GET /7': () => Response.json({ name: 'Ada' }),
  'GET /empty': () => new Response(null, { status: 204 }),
  'GET /slow': ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve());
    started.resolve();
    return new Promise(() => {});
  },
});

let mock: Mock;
beforeAll(async () => {
  mock = await createMock({ services: { users } });
});
beforeEach(() => mock.session().reset());
afterAll(() => mock.close());

const auth = bearer('t');
const openGateway = () => createGatewayClient({ baseUrl: mock.gatewayUrl, auth });
const openUsers = () => openGateway().service('users');

describe('the query of a service', () => {
  it('has the payload, and is fetched again with all queries of its service', async () => {
    const service = openUsers();
    const query = serviceQuery<{ name: string }>(service, '7');
    const { result, queryClient } = renderHook(() => useQuery(query));
    await waitFor(() => expect(result.current.data).toEqual({ name: 'Ada' }));
    await act(() => queryClient.invalidateQueries({ queryKey: ['berth', service.url] }));
    const target = '/v1/cloudrun/users/7';
    expect(mock.session().requests()).toMatchObject([{ target }, { target }]);
  });

  it('has a key of its gateway, service and path', () => {
    const keyOf = (envId: string, path: string) => {
      const gateway = createGatewayClient({ baseUrl: `https://${envId}.gateway.example` });
      return serviceQuery(gateway.service('users'), path).queryKey;
    };
    expect(keyOf('a', '7')).toEqual(keyOf('a', '/7'));
    expect(keyOf('a', '7')).not.toEqual(keyOf('a', '8'));
    expect(keyOf('a', '7')).not.toEqual(keyOf('b', '7'));
  });

  it('has null for an empty payload', async () => {
    const { result } = renderHook(() => useQuery(serviceQuery(openUsers(), 'empty')));
    await waitFor(() => expect(result.current.data).toBeNull());
  });

  it('aborts its call when nothing uses it any more', async () => {
    const { unmount } = renderHook(() => useQuery(serviceQuery(openUsers(), 'slow')));
    await started.promise;
    unmount();
    await aborted.promise;
  });

  it('fails at once, because the client itself retries', async () => {
    const service = openGateway().service('no-such-service');
    const { result } = renderHook(() => useQuery(serviceQuery(service)));
    const error = { kind: 'gateway', code: 'SERVICE_NOT_FOUND', requestId: expect.any(String) };
    await waitFor(() => expect(result.current.error).toMatchObject(error));
    expect(mock.session().requests()).toHaveLength(1);
  });
});

it('openapi-react-query calls the operations of the gateway, and shows its errors', async () => {
  const queries = createQueries(openGateway());
  const renderUser = (name: string) => {
    const params = { path: { name, anyPath: '7' } };
    const path = '/v1/cloudrun/{name}/{anyPath}';
    return renderHook(() => queries.useQuery('get', path, { params }, { retry: false })).result;
  };
  const user = renderUser('users');
  await waitFor(() => expect(user.current.data).toEqual({ name: 'Ada' }));
  const missing = renderUser('no-such-service');
  await waitFor(() => expect(missing.current.error).toMatchObject({ code: 'SERVICE_NOT_FOUND' }));
});
