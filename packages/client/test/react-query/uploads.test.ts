import './dom.ts';
import { createStorageClient, type Progress, type StorageClient } from '@berth/client';
import { useUpload } from '@berth/client/react-query';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { act, renderHook, waitFor } from './render.ts';

let mock: Mock;
let storage: StorageClient;
beforeAll(async () => {
  mock = await createMock();
  const credentials = { authorization: '1.0 any', timestamp: 1_700_000_000 };
  storage = createStorageClient({ baseUrl: mock.storageUrl, envId: 'dev', credentials });
});
afterAll(() => mock.close());

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

it('an upload reports its progress, up to the end', async () => {
  const seen: Progress[] = [];
  const { result } = renderHook(() => useUpload(storage));
  expect(result.current.progress).toBeUndefined();
  const data = new Uint8Array(1_000_000);
  const onProgress = (progress: Progress) => void seen.push(progress);
  act(() => result.current.mutate({ path: 'a.bin', data, onProgress }));
  await waitFor(() => expect(result.current.isSuccess).toBe(true));
  expect(result.current.progress).toEqual({ loaded: 1_000_000, total: 1_000_000 });
  expect(seen.at(-1)).toEqual(result.current.progress);
  expect(mock.session().files.get('a.bin')).toHaveLength(1_000_000);
});

it('an upload that is aborted, also by your signal, rejects and is then reset', async () => {
  const { data } = slowStream();
  const { result } = renderHook(() => useUpload(storage));
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

it('shows the progress of the latest upload only', async () => {
  const { data, resume } = slowStream();
  const { result } = renderHook(() => useUpload(storage));
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
