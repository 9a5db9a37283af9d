import './dom.ts';
import type { Progress, Service, StorageClient, TempUrlResult } from '@berth/client';
import { linkQuery, linksQuery, serviceQuery, useUpload } from '@berth/client/react-query';
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { act, newQueryClient, renderHook, waitFor } from './render.ts';

const lost = new Error('lost');

afterEach(() => void vi.useRealTimers());

describe('the query of a service', () => {
  const url = 'https://g.example/v1/cloudrun/users';
  const serviceOf = (get: unknown) => ({ url, get }) as Service;

  it('has the payload, or null, and a key that begins with its service', async () => {
    const service = serviceOf(async (path: string) => (path ? { name: 'Ada' } : undefined));
    const query = serviceQuery<{ name: string }>(service, '7');
    const queryClient = newQueryClient();
    expect(await queryClient.fetchQuery(query)).toEqual({ name: 'Ada' });
    expect(await queryClient.fetchQuery(serviceQuery(service))).toBeNull();
    expect(queryClient.getQueryData(['berth', url, '7'])).toEqual({ name: 'Ada' });
    expect(serviceQuery(service, '/7').queryKey).toEqual(query.queryKey);
  });

  it('fails at once, because the client itself retries, and aborts if nothing uses it', async () => {
    const get = vi.fn((_: string, __: { signal: AbortSignal }) => new Promise(() => {}));
    get.mockRejectedValueOnce(lost);
    const observer = new QueryObserver(newQueryClient(), serviceQuery(serviceOf(get), '7'));
    const unsubscribe = observer.subscribe(() => {});
    await vi.waitFor(() => expect(observer.getCurrentResult().error).toBe(lost));
    void observer.refetch();
    expect(get).toHaveBeenCalledTimes(2);
    unsubscribe();
    expect(get.mock.lastCall?.[1].signal.aborted).toBe(true);
  });
});

describe('links', () => {
  it.each<[string, number, Error[], number[]]>([
    ['before they expire, and not sooner', 100, [], [0, 80_000, 160_000]],
    ['soon after a failure, even if they live long', 604_800, [lost], [0, 30_000]],
  ])('are fetched again %s', async (_, maxAge, failures, expected) => {
    vi.useFakeTimers();
    const start = Date.now();
    const calls: number[] = [];
    const tempUrl = async () => {
      calls.push(Date.now() - start);
      const failure = failures.shift();
      if (failure) throw failure;
      return 'https://h/a';
    };
    const query = linkQuery({ tempUrl }, 'a', { maxAge });
    new QueryObserver(newQueryClient(), query).subscribe(() => {});
    await vi.advanceTimersByTimeAsync(200_000);
    expect(calls).toEqual(expected);
  });

  it('are fetched in one call, each with its url or its error', async () => {
    const failed = { fileID: 'b', error: lost };
    const links: TempUrlResult[] = [{ fileID: 'a', url: 'https://h/a' }, failed];
    const tempUrls = vi.fn(async () => links);
    const query = linksQuery({ tempUrls }, ['a', 'b']);
    expect(await newQueryClient().fetchQuery(query)).toEqual(links);
    links.shift();
    await expect(newQueryClient().fetchQuery(query)).rejects.toBe(lost);
    expect(tempUrls).toHaveBeenCalledTimes(2);
  });
});

describe('an upload', () => {
  /** Uploads of which each goes on when the test resolves it. */
  function slowStorage() {
    const uploads: { report: (loaded: number) => void; finish: () => void }[] = [];
    const upload: StorageClient['upload'] = (path, _, { signal, onProgress } = {}) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        signal?.addEventListener('abort', () => reject(signal.reason));
        uploads.push({
          report: (loaded) => onProgress?.({ loaded, total: 6 }),
          finish: () => resolve({ fileID: path }),
        });
      });
    const { result } = renderHook(() => useUpload({ upload }));
    const send = (path: string, options = {}) =>
      act(() => result.current.mutate({ path, data: 'Hello', ...options }));
    return { uploads, result, send };
  }

  it('that is aborted, also by your signal, rejects and is then reset', async () => {
    const { uploads, result, send } = slowStorage();
    let outcome: Promise<unknown> = Promise.resolve();
    act(() => {
      outcome = result.current
        .mutateAsync({ path: 'b.txt', data: 'Hello' })
        .catch((error) => error);
    });
    await waitFor(() => expect(uploads).toHaveLength(1));
    act(() => uploads[0]?.report(1));
    expect(result.current.progress?.loaded).toBe(1);
    act(() => result.current.abort());
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    expect(result.current).toMatchObject({ isIdle: true, error: null, progress: undefined });
    send('c.txt', { signal: AbortSignal.abort(lost) });
    await waitFor(() => expect(result.current.error).toBe(lost));
  });

  it('shows the progress of the latest upload only, up to the end', async () => {
    const { uploads, result, send } = slowStorage();
    const ofFirst: number[] = [];
    send('d.txt', { onProgress: ({ loaded }: Progress) => ofFirst.push(loaded) });
    send('e.txt');
    await waitFor(() => expect(uploads).toHaveLength(2));
    act(() => uploads[1]?.report(6));
    act(() => uploads[0]?.report(3));
    expect(ofFirst).toEqual([3]);
    act(() => uploads[1]?.finish());
    await waitFor(() => expect(result.current.data?.fileID).toBe('e.txt'));
    expect(result.current.progress).toEqual({ loaded: 6, total: 6 });
  });
});
