import './dom.ts';
import { createStorageClient, type FetchLike, type StorageClient } from '@berth/client';
import { linkQuery, linksQuery } from '@berth/client/react-query';
import { createMock, type Mock } from '@berth/mock';
import { useQuery } from '@tanstack/react-query';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { act, renderHook, waitFor } from './render.ts';

const MISSING = 'cloud://dev.files/none';

let mock: Mock;
let fileID: string;
beforeAll(async () => {
  mock = await createMock();
});
beforeEach(() => {
  mock.session().reset();
  fileID = mock.session().files.put('a.txt', 'Hello');
});
afterEach(() => void vi.useRealTimers());
afterAll(() => mock.close());

function open(fetch?: FetchLike): StorageClient {
  const credentials = { authorization: '1.0 any', timestamp: 1_700_000_000 };
  return createStorageClient({ baseUrl: mock.storageUrl, envId: 'dev', credentials, fetch });
}

/** Like `waitFor`, which needs a running clock. */
const settle = (check: () => void) =>
  vi.waitFor(
    async () => {
      await act(async () => {});
      check();
    },
    { interval: 5, timeout: 300_000 },
  );

/** Renders a link that is valid for 100 seconds of a stopped clock. */
function renderLink(storage: StorageClient, id = fileID) {
  const query = linkQuery(storage, id, { maxAge: 100 });
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  return renderHook(() => useQuery(query)).result;
}

const advance = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1000));

describe('a link to a file', () => {
  it('is renewed before it expires, and not sooner', async () => {
    const result = renderLink(open());
    await settle(() => expect(result.current.data).toBeDefined());
    const first = result.current.data as string;
    await advance(79);
    expect(result.current.data).toBe(first);
    expect(await (await fetch(first)).text()).toBe('Hello');
    await advance(2);
    await settle(() => expect(result.current.data).not.toBe(first));
    const second = result.current.data as string;
    await advance(81);
    await settle(() => expect(result.current.data).not.toBe(second));
    expect((await fetch(first)).status).toBe(403);
  });

  it('that fails is tried again soon, but not at once', async () => {
    const result = renderLink(open(), MISSING);
    const error = { kind: 'storage', code: 'STORAGE_FILE_NONEXIST' };
    await settle(() => expect(result.current.error).toMatchObject(error));
    await advance(4);
    expect(mock.session().requests()).toHaveLength(1);
    await advance(2);
    await settle(() => expect(mock.session().requests()).toHaveLength(2));
  });
});

describe('links to files', () => {
  it('are fetched in one call, each with its url or its error', async () => {
    const query = linksQuery(open(), [fileID, MISSING]);
    const { result } = renderHook(() => useQuery(query));
    const url = expect.stringContaining('http');
    const error = { code: 'STORAGE_FILE_NONEXIST' };
    await waitFor(() => expect(result.current.data).toMatchObject([{ url }, { error }]));
    expect(mock.session().requests()).toHaveLength(1);
  });

  const refusal = { statusCode: 200, body: { requestId: 'r', code: 'SYS_ERR', message: 'No.' } };
  it.each<[string, FetchLike, object]>([
    ['there is no response', () => Promise.reject(new Error('down')), { kind: 'network' }],
    ['the call is refused', async () => Response.json(refusal), { code: 'SYS_ERR', status: 200 }],
  ])('fail together if %s', async (_, fetch, error) => {
    const query = linksQuery(open(fetch), [fileID, MISSING], { retry: false });
    const { result } = renderHook(() => useQuery(query));
    await waitFor(() => expect(result.current.error).toMatchObject(error));
    expect(result.current.data).toBeUndefined();
  });
});
