import { randomBytes } from 'node:crypto';
import type { StorageCall } from '@berth/server-stubs';
import {
  createMemoryStore,
  createStorage,
  type OpenBlob,
  type StorageCaller,
} from '@berth/storage';
import { createSigner } from '@berth/storage/node';
import { describe, expect, test } from 'vitest';

const etag = '"abc"';
const before = 'Mon, 02 Nov 1970 08:59:59 GMT';
const after = 'Mon, 02 Nov 2099 08:59:59 GMT';

/** Requests the link of a file, by default of ten bytes, whose ETag is "abc". */
async function get(headers: Readonly<Record<string, string>>, path = 'a.txt', size = 10) {
  const store = createMemoryStore();
  store.put({ env: 'dev', path }, new Uint8Array(size), 'text/plain');
  const { storage, download } = createStorage({
    blobs: {
      ...store,
      async open(key) {
        const blob = (await store.open(key)) as OpenBlob;
        return { ...blob, info: { ...blob.info, etag: 'abc' } };
      },
    },
    signer: createSigner([randomBytes(32)]),
    bucketOf: () => 'files',
    publicUrl: '',
    onError: expect.fail,
  });
  const { signal } = new AbortController();
  const call = { envId: 'dev', caller: { env: 'dev', id: 'me' }, signal };
  const input = { fileList: [{ fileID: `cloud://dev.files/${path}` }] };
  const { fileList } = await storage.batchGetTempUrls(input, call as StorageCall<StorageCaller>);
  return download({ method: 'GET', url: fileList[0]?.tempFileURL, headers }, '1');
}

describe('conditions', () => {
  test.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'if-none-match': '"abc"' }, 304],
    [{ 'if-none-match': '"x", W/"abc"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, undefined],
    [{ 'if-none-match': 'abc' }, undefined],
    [{ 'if-match': '"abc"' }, undefined],
    [{ 'if-match': '*' }, undefined],
    [{ 'if-match': 'W/"abc"' }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 412],
    [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 304],
    [{ 'if-modified-since': after }, undefined],
    [{ 'if-none-match': '"x"', 'if-modified-since': after }, undefined],
    [{ 'if-unmodified-since': before }, undefined],
  ])('%j', async (headers, status = 200) => {
    const { headers: sent, ...download } = await get(headers);
    expect(download.status).toBe(status);
    expect(sent.etag).toBe(etag);
  });
});

test.each([
  ['a/summary.txt', 'attachment; filename=summary.txt'],
  ['My file; really.txt', 'attachment; filename="My file; really.txt"'],
  ['年.txt', `attachment; filename=_.txt; filename*=UTF-8''%E5%B9%B4.txt`],
  ['😀.txt', `attachment; filename=_.txt; filename*=UTF-8''%F0%9F%98%80.txt`],
  [
    `a"b\\c%41'(*).txt`,
    `attachment; filename="a_b_c_41'(*).txt"; filename*=UTF-8''a%22b%5Cc%2541%27%28%2A%29.txt`,
  ],
])('%s', async (path, header) => {
  expect((await get({}, path)).headers['content-disposition']).toBe(header);
});

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-4', { start: 2, end: 4 }],
  ['bytes=2-', { start: 2, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-30', { start: 0, end: 9 }],
  ['bytes=8-99', { start: 8, end: 9 }],
  ['Bytes=2-4', { start: 2, end: 4 }],
  ['bytes=0-3,4-6', { start: 0, end: 6 }],
  ['bytes=0-3, -30', { start: 0, end: 9 }],
  ['bytes=0-1,5-20', undefined],
  ['bytes=5-2', undefined],
  ['bytes=0-3,5-2', undefined],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=99-100', 'none'],
  ['bytes=', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1', undefined],
  ['items=0-1', undefined],
  ['items=99-', undefined],
  ['0-1', undefined],
])('%s of ten bytes', async (header, range) => {
  const found = get({ range: header });
  if (range === 'none') return expect(found).rejects.toMatchObject({ status: 416 });
  const { status, range: sent } = await found;
  expect(status).toBe(range === undefined ? 200 : 206);
  expect(sent && { start: sent.start, end: sent.end }).toEqual(range);
});

test.each(['bytes=0-', 'bytes=-5'])('%s of an empty file is the complete file', async (range) => {
  const { status, headers } = await get({ range }, 'a.txt', 0);
  expect([status, headers['content-length']]).toEqual([200, '0']);
});
