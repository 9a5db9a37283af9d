import './dom.ts';
import { bearer, createGatewayClient, type Progress } from '@berth/client';
import { linkQuery, linksQuery, serviceQuery, useUpload } from '@berth/client/react-query';
import { createMock, type Mock, routes } from '@berth/mock';
import { QueryObserver } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { storageAt } from '../support/clients.ts';
import { act, newQueryClient, renderHook, waitFor } from './render.ts';

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

const openStorage = () => storageAt(mock.storageUrl);
const openService = (name = 'users') =>
  createGatewayClient({ baseUrl: mock.gatewayUrl, auth: bearer('t') }).service(name);

describe('the query of a service', () => {
  it('has the payload, or null, and a key that begins with its service', async () => {
    const service = openService();
    const query = serviceQuery<{ name: string }>(service, '7');
    const queryClient = newQueryClient();
    expect(await queryClient.fetchQuery(query)).toEqual({ name: 'Ada' });
    expect(await queryClient.fetchQuery(serviceQuery(service, 'empty'))).toBeNull();
    expect(queryClient.getQueryData(['berth', service.url, '7'])).toEqual({ name: 'Ada' });
    expect(serviceQuery(service, '/7').queryKey).toEqual(query.queryKey);
  });

  it('aborts its call when nothing uses it any more', async () => {
    const observer = new QueryObserver(newQueryClient(), serviceQuery(openService(), 'slow'));
    const unsubscribe = observer.subscribe(() => {});
    await started.promise;
    unsubscribe();
    await aborted.promise;
  });

  it('fails at once, because the client itself retries', async () => {
    const observer = new QueryObserver(newQueryClient(), serviceQuery(openService('missing')));
    const { promise: failed, resolve } = Promise.withResolvers<unknown>();
    observer.subscribe(({ error }) => error && resolve(error));
    const error = { kind: 'gateway', code: 'SERVICE_NOT_FOUND', requestId: expect.any(String) };
    expect(await failed).toMatchObject(error);
    expect(mock.session().requests()).toHaveLength(1);
  });
});

describe('links', () => {
  it('are renewed before they expire, and not sooner', async () => {
    const query = linkQuery(openStorage(), fileID, { maxAge: 100 });
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const observer = new QueryObserver(newQueryClient(), query);
    let next = Promise.withResolvers<string>();
    observer.subscribe(({ data, isFetching }) => data && !isFetching && next.resolve(data));
    const first = await next.promise;
    next = Promise.withResolvers();
    await vi.advanceTimersByTimeAsync(79_000);
    expect(observer.getCurrentResult()).toMatchObject({ data: first, isFetching: false });
    expect(await (await fetch(first)).text()).toBe('Hello');
    await vi.advanceTimersByTimeAsync(2_000);
    const second = await next.promise;
    expect(second).not.toBe(first);
    next = Promise.withResolvers();
    await vi.advanceTimersByTimeAsync(81_000);
    expect(await next.promise).not.toBe(second);
    expect((await fetch(first)).status).toBe(403);
  });

  it('that live long are fetched again soon after a failure', async () => {
    vi.useFakeTimers();
    const tempUrl = vi.fn(async () => 'https://h/a').mockRejectedValueOnce(new Error('lost'));
    const query = linkQuery({ tempUrl }, 'a', { maxAge: 604_800 });
    new QueryObserver(newQueryClient(), query).subscribe(() => {});
    await vi.advanceTimersByTimeAsync(31_000);
    expect(tempUrl).toHaveBeenCalledTimes(2);
  });

  it('are fetched in one call, each with its url or its error', async () => {
    const links = await newQueryClient().fetchQuery(linksQuery(openStorage(), [fileID, MISSING]));
    const url = expect.stringContaining('http');
    expect(links).toMatchObject([{ url }, { error: { code: 'STORAGE_FILE_NONEXIST' } }]);
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
    const { result } = renderHook(() => useUpload(openStorage()));
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
    const { result } = renderHook(() => useUpload(openStorage()));
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
