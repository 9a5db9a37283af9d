import './dom.ts';
import { createStorageQueries } from '@berth/client/react-query';
import { focusManager, onlineManager, useQuery } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { envelope, fakeFetch, list } from '../support/fake-fetch.ts';
import { storageWith } from '../support/storage.ts';
import { act, renderHook, waitFor } from './render.ts';

const SECOND = 1000;
const link = (name: string) =>
  list({ fileID: 'a', code: 'SUCCESS', tempFileURL: `https://files.example/${name}` });
const missing = { fileID: 'b', code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' };

afterEach(() => void vi.useRealTimers());

/** Like `waitFor`, which needs a running clock; this advances the fake clock a little. */
const settle = (check: () => void) =>
  vi.waitFor(
    async () => {
      await act(async () => {});
      check();
    },
    { interval: 5, timeout: 300_000 },
  );

describe('a link to a file', () => {
  it('is fetched again before it expires, and not sooner', async () => {
    const { storage, requests } = storageWith([link('first'), link('second'), link('third')]);
    const query = createStorageQueries(storage).tempUrl('a', { maxAge: 100 });
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const { result } = renderHook(() => useQuery(query));
    await settle(() => expect(result.current.data).toBe('https://files.example/first'));
    await act(() => vi.advanceTimersByTimeAsync(79 * SECOND));
    expect(requests).toHaveLength(1);
    await act(() => vi.advanceTimersByTimeAsync(2 * SECOND));
    await settle(() => expect(result.current.data).toBe('https://files.example/second'));
    await act(() => vi.advanceTimersByTimeAsync(81 * SECOND));
    await settle(() => expect(result.current.data).toBe('https://files.example/third'));
  });

  it.each([
    ['a hidden tab returns', (isOn: boolean) => focusManager.setFocused(isOn)],
    ['the connection is back', (isOn: boolean) => onlineManager.setOnline(isOn)],
  ])('is no longer shown after it has expired when %s', async (_, turn) => {
    const { fetch: send } = fakeFetch(link('first'), link('second'));
    let gate = Promise.resolve();
    const fetch = (...call: Parameters<typeof send>) => gate.then(() => send(...call));
    const { storage } = storageWith([], { fetch });
    const query = createStorageQueries(storage).tempUrl('a', { maxAge: 100 });
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      const { result } = renderHook(() => useQuery(query));
      await settle(() => expect(result.current.data).toBe('https://files.example/first'));
      turn(false);
      await act(() => vi.advanceTimersByTimeAsync(101 * SECOND));
      const open = Promise.withResolvers<void>();
      gate = open.promise;
      await act(async () => turn(true));
      await settle(() => expect(result.current.data).toBeUndefined());
      open.resolve();
      await settle(() => expect(result.current.data).toBe('https://files.example/second'));
    } finally {
      turn(true);
    }
  });

  it('that cannot be fetched is a Berth error, and is not retried immediately', async () => {
    const { storage, requests } = storageWith([list(missing)]);
    const query = createStorageQueries(storage).tempUrl('b', { maxAge: 100 });
    const { result } = renderHook(() => useQuery(query));
    const error = { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' };
    await waitFor(() => expect(result.current.error).toMatchObject(error));
    expect(query.refetchInterval({ state: { dataUpdatedAt: 0 } })).toBe(5 * SECOND);
    expect(requests).toHaveLength(1);
  });
});

describe('links to many files', () => {
  it.each<[string, Response | Error, object]>([
    ['no response comes', new Error('down'), { name: 'NetworkError' }],
    ['the call is refused with status 200', envelope({ code: 'SYS_ERR' }), { code: 'SYS_ERR' }],
  ])('are an error of the query if %s', async (_, response, error) => {
    const { storage } = storageWith([response], { retry: false });
    const query = createStorageQueries(storage).tempUrls(['a', 'b']);
    const { result } = renderHook(() => useQuery(query));
    await waitFor(() => expect(result.current.error).toMatchObject(error));
    expect(result.current.data).toBeUndefined();
  });

  it('are fetched in one call, each with its url or its error', async () => {
    const url = 'https://files.example/a';
    const found = { fileID: 'a', code: 'SUCCESS', tempFileURL: url };
    const { storage } = storageWith([list(found, missing)]);
    const query = createStorageQueries(storage).tempUrls(['a', 'b']);
    const { result } = renderHook(() => useQuery(query));
    const error = { code: 'STORAGE_FILE_NONEXIST' };
    await waitFor(() => expect(result.current.data).toMatchObject([{ url }, { error }]));
  });
});
