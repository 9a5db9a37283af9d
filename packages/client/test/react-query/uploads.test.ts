import './dom.ts';
import type { Progress, StorageClient } from '@berth/client';
import { useUpload } from '@berth/client/react-query';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveStorage } from '../support/loopback.ts';
import { storageAt } from '../support/storage.ts';
import { act, renderHook, waitFor } from './render.ts';

let mock: Mock;
let storage: StorageClient;
beforeAll(async () => {
  mock = await createMock({ port: 0, env: 'dev' });
  storage = storageAt(mock.storageUrl);
});
afterAll(() => mock.close());

describe('an upload', () => {
  it('reports its progress, up to the end', async () => {
    const seen: Progress[] = [];
    const { result } = renderHook(() => useUpload(storage));
    expect(result.current.progress).toBeUndefined();
    const data = new Uint8Array(1_000_000);
    act(() =>
      result.current.mutate({ path: 'a.bin', data, onProgress: (now) => void seen.push(now) }),
    );
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(result.current.progress).toEqual({ loaded: 1_000_000, total: 1_000_000 });
    expect(seen.at(-1)).toEqual(result.current.progress);
    expect(await (await storage.download('cloud://dev.files/a.bin')).arrayBuffer()).toHaveProperty(
      'byteLength',
      1_000_000,
    );
  });

  it('ends when it is aborted, and is then reset', async () => {
    const { promise: ended, resolve: gone } = Promise.withResolvers<void>();
    const { promise: beginning, resolve: begun } = Promise.withResolvers<void>();
    await using target = await serveStorage((_, response) => {
      begun();
      response.on('close', gone);
    });
    const { result } = renderHook(() => useUpload(target.storage));
    let outcome: Promise<unknown> = Promise.resolve();
    act(() => {
      outcome = result.current
        .mutateAsync({ path: 'a.txt', data: 'Hello' })
        .catch((error) => error);
    });
    await beginning;
    await waitFor(() => expect(result.current.progress).toBeDefined());
    act(() => result.current.abort());
    await ended;
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    expect(result.current).toMatchObject({ isIdle: true, error: null, progress: undefined });
  });

  it('ends with your own signal, too', async () => {
    const controller = new AbortController();
    const { result } = renderHook(() => useUpload(storage));
    controller.abort(new Error('no more'));
    const { signal } = controller;
    act(() => result.current.mutate({ path: 'a.txt', data: 'Hello', signal }));
    await waitFor(() => expect(result.current.error?.message).toBe('no more'));
  });

  it('shows the progress of the latest one only', async () => {
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
    async function* slow() {
      yield 'A';
      await gate;
      yield 'BC';
    }
    const { result } = renderHook(() => useUpload(storage));
    const ofFirst: number[] = [];
    const onProgress = ({ loaded }: Progress) => void ofFirst.push(loaded);
    act(() => result.current.mutate({ path: 'a.txt', data: slow(), onProgress }));
    await waitFor(() => expect(result.current.progress?.loaded).toBe(1));
    act(() => result.current.mutate({ path: 'b.txt', data: 'Second' }));
    await waitFor(() => expect(result.current.progress).toEqual({ loaded: 6, total: 6 }));
    goOn();
    await waitFor(() => expect(ofFirst).toContain(3));
    await waitFor(() => expect(result.current.data?.fileID).toBe('cloud://dev.files/b.txt'));
    expect(result.current.progress).toEqual({ loaded: 6, total: 6 });
  });
});
