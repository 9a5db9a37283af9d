import { createMemoryStore, type OpenBlob } from '@berth/storage';
import { describe, expect, test } from 'vitest';
import { deploy, link } from './support/client.ts';

const etag = '"abc"';
const before = 'Mon, 02 Nov 1970 08:59:59 GMT';
const after = 'Mon, 02 Nov 2099 08:59:59 GMT';

/** Downloads a file whose ETag is "abc". */
async function get(headers: Record<string, string>, path = 'a.txt', size = 10) {
  const store = createMemoryStore();
  const key = { env: 'dev', path };
  const info = { ...store.put(key, new Uint8Array(size), 'text/plain'), etag: 'abc' };
  const open = async () => ({ ...((await store.open(key)) as OpenBlob), info });
  const to = await deploy({ blobs: { ...store, open } });
  return fetch(await link(to, `cloud://dev.files/${path}`), { headers });
}

describe('conditions', () => {
  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ 'if-none-match': '"abc"' }, 304],
    [{ 'if-none-match': '"x", W/"abc"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-none-match': 'abc' }, 200],
    [{ 'if-match': '"abc"' }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': 'W/"abc"' }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 412],
    [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 304],
    [{ 'if-modified-since': after }, 200],
    [{ 'if-none-match': '"x"', 'if-modified-since': after }, 200],
    [{ 'if-unmodified-since': before }, 200],
  ])('%j', async (headers, status) => {
    const response = await get(headers);
    expect([response.status, response.headers.get('etag')]).toEqual([status, etag]);
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
  expect((await get({}, path)).headers.get('content-disposition')).toBe(header);
});

test.each([
  ['bytes=0-0', 206, '0-0/10'],
  ['bytes=2-4', 206, '2-4/10'],
  ['bytes=2-', 206, '2-9/10'],
  ['bytes=-3', 206, '7-9/10'],
  ['bytes=-30', 206, '0-9/10'],
  ['bytes=8-99', 206, '8-9/10'],
  ['Bytes=2-4', 206, '2-4/10'],
  ['bytes=0-1,5-20', 200, undefined],
  ['bytes=5-2', 200, undefined],
  ['bytes=5 - 2', 200, undefined],
  ['bytes=1 - 3', 200, undefined],
  ['bytes=-', 200, undefined],
  ['bytes=10-', 416, '*/10'],
  ['bytes=-0', 416, '*/10'],
  ['bytes=99-100', 416, '*/10'],
  ['bytes=', 200, undefined],
  ['bytes=a-b', 200, undefined],
  ['bytes=1', 200, undefined],
  ['items=0-1', 200, undefined],
  ['items=99-', 200, undefined],
  ['0-1', 200, undefined],
])('%s of ten bytes', async (header, status, range) => {
  const response = await get({ range: header });
  const sent = response.headers.get('content-range') ?? undefined;
  expect([response.status, sent]).toEqual([status, range && `bytes ${range}`]);
});

test.each(['bytes=0-', 'bytes=-5'])('%s of an empty file is the complete file', async (range) => {
  const { status, headers } = await get({ range }, 'a.txt', 0);
  expect([status, headers.get('content-length')]).toEqual([200, '0']);
});
