import './dom.ts';
import type { StorageClient } from '@berth/client';
import { createStorageQueries } from '@berth/client/react-query';
import { createMock, type Mock } from '@berth/mock';
import { focusManager, onlineManager, useQuery } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { envelope, fakeFetch, list } from '../support/fake-fetch.ts';
import { storageAt, storageWith } from '../support/storage.ts';
import { act, renderHook, waitFor } from './render.ts';

const SECOND = 1000;
let mock: Mock;
let storage: StorageClient;
let responses: Response[];
beforeAll(async () => {
  mock = await createMock({ port: 0, env: 'dev' });
});
afterAll(() => mock.close());
afterEach(() => vi.useRealTimers());

async function setUp() {
  responses = [];
  storage = storageAt(mock.storageUrl, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      responses.push(response);
      return response;
    },
  });
  const { fileID } = await storage.upload('a.txt', 'Hello');
  responses.length = 0;
  return { fileID, files: createStorageQueries(storage) };
}

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
    const { fileID, files } = await setUp();
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const { result } = renderHook(() => useQuery(files.tempUrl(fileID, { maxAge: 100 })));
    await settle(() => expect(result.current.data).toBeDefined());
    const first = result.current.data;

    await act(() => vi.advanceTimersByTimeAsync(79 * SECOND));
    expect(responses).toHaveLength(1);
    await act(() => vi.advanceTimersByTimeAsync(2 * SECOND));
    await settle(() => expect(result.current.data).not.toBe(first));
    expect(responses).toHaveLength(2);

    await act(() => vi.advanceTimersByTimeAsync(81 * SECOND));
    await settle(() => expect(responses).toHaveLength(3));
  });

  it.each([
    ['a hidden tab returns', (isOn: boolean) => focusManager.setFocused(isOn)],
    ['the connection is back', (isOn: boolean) => onlineManager.setOnline(isOn)],
  ])('is no longer shown after it has expired when %s', async (_, turn) => {
    const response = (name: string) =>
      list({ fileID: 'a', code: 'SUCCESS', tempFileURL: `https://files.example/${name}` });
    const { fetch: send } = fakeFetch(response('first'), response('second'), response('third'));
    let gate = Promise.resolve();
    const fetch = vi.fn((...call: Parameters<typeof send>) => gate.then(() => send(...call)));
    const { storage } = storageWith([], { fetch });
    const query = createStorageQueries(storage).tempUrl('a', { maxAge: 100 });
    const away = async (seconds: number) => {
      turn(false);
      await act(() => vi.advanceTimersByTimeAsync(seconds * SECOND));
    };
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      const { result } = renderHook(() => useQuery(query));
      await settle(() => expect(result.current.data).toBe('https://files.example/first'));

      // The link still works for 10 s.
      await away(90);
      const open = Promise.withResolvers<void>();
      gate = open.promise;
      await act(async () => turn(true));
      await settle(() => expect(fetch).toHaveBeenCalledTimes(2));
      expect(result.current.data).toBe('https://files.example/first');
      open.resolve();
      await settle(() => expect(result.current.data).toBe('https://files.example/second'));

      await away(101);
      const next = Promise.withResolvers<void>();
      gate = next.promise;
      await act(async () => turn(true));
      await settle(() => expect(fetch).toHaveBeenCalledTimes(3));
      await settle(() => expect(result.current.data).toBeUndefined());
      next.resolve();
      await settle(() => expect(result.current.data).toBe('https://files.example/third'));
    } finally {
      turn(true);
    }
  });

  it('that cannot be fetched is a Berth error, and is not retried immediately', async () => {
    const { files } = await setUp();
    const query = files.tempUrl('cloud://dev.files/none', { maxAge: 100 });
    const { result } = renderHook(() => useQuery(query));
    const error = { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' };
    await waitFor(() => expect(result.current.error).toMatchObject(error));
    expect(query.refetchInterval({ state: { dataUpdatedAt: 0 } })).toBe(5 * SECOND);
    expect(responses).toHaveLength(1);
  });
});

describe('links to many files', () => {
  it.each<[string, () => Response | Error, object]>([
    ['no response comes', () => new Error('down'), { name: 'NetworkError' }],
    [
      'the call is refused',
      () => envelope({ code: 'SYS_ERR', message: 'No.' }, 500),
      { status: 500 },
    ],
    [
      'the call is refused with status 200',
      () => envelope({ code: 'SYS_ERR', message: 'No.' }),
      { name: 'StorageError', code: 'SYS_ERR' },
    ],
  ])('are an error of the query if %s', async (_, response, error) => {
    const { storage } = storageWith([response()], { retry: false });
    const query = createStorageQueries(storage).tempUrls(['a', 'b']);
    const { result } = renderHook(() => useQuery(query));
    await waitFor(() => expect(result.current.isFetched).toBe(true));
    expect(result.current.error).toMatchObject(error);
    expect(result.current.data).toBeUndefined();
  });

  it('are fetched in one call, each with its url or its error', async () => {
    const { fileID, files } = await setUp();
    const ids = [fileID, 'cloud://dev.files/none'];
    const { result } = renderHook(() => useQuery(files.tempUrls(ids)));
    await waitFor(() => expect(result.current.data).toHaveLength(2));
    expect(result.current.data?.[0]?.url).toContain('/files/a.txt');
    expect(result.current.data?.[1]?.error).toMatchObject({ code: 'STORAGE_FILE_NONEXIST' });
    expect(responses).toHaveLength(1);
  });
});
