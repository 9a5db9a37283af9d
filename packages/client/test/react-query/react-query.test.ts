import './dom.ts';
import { bearer, createGatewayClient, type Progress } from '@berth/client';
import { linkQuery, linksQuery, serviceQuery, useUpload } from '@berth/client/react-query';
import { createMock, type Mock, routes } from '@berth/mock';
import { useQuery } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { storageAt } from '../support/clients.ts';
import { act, renderHook, waitFor } from './render.ts';

const MISSING = 'cloud://dev.files/none';
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
let fileID: string;
beforeAll(async () => {
  mock = await createMock({ services: { users } });
});
beforeEach(() => {
  mock.session().reset();
  fileID = mock.session().files.put('a.txt', 'Hello');
});
afterEach(() => void vi.useRealTimers());
afterAll(() => mock.close());

const openGateway = () => createGatewayClient({ baseUrl: mock.gatewayUrl, auth: bearer('t') });
const openUsers = () => openGateway().service('users');
const open = () => storageAt(mock.storageUrl);

describe('the query of a service', () => {
  it('has the payload, and is fetched again with all queries of its service', async () => {
    const service = openUsers();
    const query = serviceQuery<{ name: string }>(service, '7');
    const { result, queryClient } = renderHook(() => useQuery(query));
    await waitFor(() => expect(result.current.data).toEqual({ name: 'Ada' }));
    await act(() => queryClient.invalidateQueries({ queryKey: ['berth', service.url] }));
    const target = '/v1/cloudrun/users/7';
    expect(mock.session().requests()).toMatchObject([{ target }, { target }]);
    expect(serviceQuery(service, '/7').queryKey).toEqual(query.queryKey);
    expect(serviceQuery(service, '8').queryKey).not.toEqual(query.queryKey);
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

describe('links', () => {
  it('are renewed before they expire, and not sooner', async () => {
    const query = linkQuery(open(), fileID, { maxAge: 100 });
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const { result } = renderHook(() => useQuery(query));
    const advance = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1000));
    // `waitFor` needs a running clock.
    const waitForOther = (last?: string) =>
      vi.waitUntil(
        async () => {
          await act(async () => {});
          return result.current.data !== last && result.current.data;
        },
        { interval: 5, timeout: 300_000 },
      );
    const first = await waitForOther();
    await advance(79);
    expect(result.current.data).toBe(first);
    expect(await (await fetch(first)).text()).toBe('Hello');
    await advance(2);
    const second = await waitForOther(first);
    await advance(81);
    await waitForOther(second);
    expect((await fetch(first)).status).toBe(403);
  });

  it('are fetched in one call, each with its url or its error', async () => {
    const query = linksQuery(open(), [fileID, MISSING]);
    const { result } = renderHook(() => useQuery(query));
    const url = expect.stringContaining('http');
    const error = { code: 'STORAGE_FILE_NONEXIST' };
    await waitFor(() => expect(result.current.data).toMatchObject([{ url }, { error }]));
    expect(mock.session().requests()).toHaveLength(1);
  });
});

describe('an upload', () => {
  /** A stream that has a byte, and goes on after `resume`. */
  function slowStream() {
    const { promise, resolve: resume } = Promise.withResolvers<void>();
    async function* generate() {
      yield 'A';
      await promise;
      yield 'BC';
    }
    return { data: generate(), resume };
  }

  it('that is aborted, also by your signal, rejects and is then reset', async () => {
    const { data } = slowStream();
    const { result } = renderHook(() => useUpload(open()));
    let outcome: Promise<unknown> = Promise.resolve();
    act(() => {
      outcome = result.current.mutateAsync({ path: 'b.txt', data }).catch((error) => error);
    });
    await waitFor(() => expect(result.current.progress?.loaded).toBe(1));
    act(() => result.current.abort());
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    expect(result.current).toMatchObject({ isIdle: true, error: null, progress: undefined });
    expect(mock.session().files.get('b.txt')).toBeUndefined();
    const signal = AbortSignal.abort(new Error('no more'));
    act(() => result.current.mutate({ path: 'c.txt', data: 'Hello', signal }));
    await waitFor(() => expect(result.current.error?.message).toBe('no more'));
  });

  it('shows the progress of the latest upload only, up to the end', async () => {
    const { data, resume } = slowStream();
    const { result } = renderHook(() => useUpload(open()));
    const ofFirst: number[] = [];
    const onProgress = ({ loaded }: Progress) => void ofFirst.push(loaded);
    act(() => result.current.mutate({ path: 'd.txt', data, onProgress }));
    await waitFor(() => expect(result.current.progress?.loaded).toBe(1));
    act(() => result.current.mutate({ path: 'e.txt', data: 'Second' }));
    await waitFor(() => expect(result.current.progress).toEqual({ loaded: 6, total: 6 }));
    resume();
    await waitFor(() => expect(ofFirst).toContain(3));
    await waitFor(() => expect(result.current.data?.fileID).toMatch(/e\.txt$/));
    expect(result.current.progress).toEqual({ loaded: 6, total: 6 });
  });
});
