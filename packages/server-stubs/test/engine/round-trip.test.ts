import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { call, contentOf, deploy, grant, link, post, put, toFields } from './support/client.ts';

test('a file is uploaded, linked to, downloaded, copied and deleted', async () => {
  const to = await deploy();
  const content = new Uint8Array(randomBytes(300_000));
  const fileID = await put(to, 'reports/年 1.bin', content, { type: 'image/png' });
  expect(fileID).toBe('cloud://dev.files/reports/年 1.bin');

  const address = await link(to, fileID);
  expect(address).toContain('/files/dev/files/reports/%E5%B9%B4%201.bin?expires=');
  const download = await fetch(address);
  expect(download.status).toBe(200);
  expect(download.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true);

  await put(to, 'a.txt', 'hello');
  const copied = await call(to, 'batchCopyFile', {
    fileList: [{ srcPath: '/a.txt', dstPath: '/b.txt' }],
  });
  expect(copied.data).toEqual({ fileList: [{ fileID: 'cloud://dev.files/b.txt' }] });
  expect(await contentOf(to, 'b.txt')).toBe('hello');

  const deleted = await call(to, 'batchDelete', { fileList: [fileID, fileID] });
  expect(deleted.data.fileList.map(({ code }) => code)).toEqual([
    'SUCCESS',
    'STORAGE_FILE_NONEXIST',
  ]);
  expect((await fetch(address)).status).toBe(404);
});

describe('an upload', () => {
  test('gets a response with the quoted ETag and the location of the file', async () => {
    const to = await deploy();
    const meta = await grant(to, '/a b.txt');
    const response = await post(meta.url, toFields('a b.txt', meta), 'hello');
    expect(response.status).toBe(204);
    expect(response.headers.get('etag')).toBe(
      `"${(await to.blobs.stat({ env: 'dev', path: 'a b.txt' }))?.etag}"`,
    );
    expect(response.headers.get('location')).toBe(`${to.base}/files/dev/files/a%20b.txt`);
    expect((await fetch(response.headers.get('location') as string)).status).toBe(403);
  });

  test.each([
    ['a.txt', 'a.txt'],
    ['a.txt', '/a.txt'],
    ['/a.txt', 'a.txt'],
    ['/a.txt', '/a.txt'],
  ])('granted for %s is accepted with the key %s', async (path, key) => {
    const to = await deploy();
    const meta = await grant(to, path);
    expect((await post(meta.url, toFields(key, meta), 'hello')).status).toBe(204);
    expect(await contentOf(to, 'a.txt')).toBe('hello');
  });

  test('replaces the file with its key, and may be empty', async () => {
    const to = await deploy();
    await put(to, 'a.txt', 'first');
    await put(to, 'a.txt', '');
    expect(await contentOf(to, 'a.txt')).toBe('');
    expect(await (await fetch(await link(to, 'cloud://dev.files/a.txt'))).text()).toBe('');
  });

  test('with an invalid type gets the default type', async () => {
    const to = await deploy();
    const fileID = await put(to, 'a.txt', 'hello', { type: 'text/plain<script>' });
    const download = await fetch(await link(to, fileID));
    expect(download.headers.get('content-type')).toBe('application/octet-stream');
  });
});

test.each([
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['Text/HTML;Charset="ISO-8859-1"', 'text/html; charset=iso-8859-1'],
  ['text/plain; format=flowed; charset=gbk', 'text/plain; charset=gbk'],
  ['text/plain; charset="a b"', 'text/plain'],
  ['text/plain; charset=', 'text/plain'],
  ['text/plain; x=charset=utf-8', 'text/plain'],
])('an upload of type %j is downloaded as %j', async (sent, received) => {
  const to = await deploy();
  const meta = await grant(to, 'a.txt');
  const fields = Object.entries(toFields('a.txt', meta)).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: ${sent}\r\n\r\nhello\r\n--x--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const body = [...fields, file].join('');
  expect((await fetch(meta.url, { method: 'POST', headers, body })).status).toBe(204);
  const copy = { srcPath: '/a.txt', dstPath: '/b.txt' };
  await call(to, 'batchCopyFile', { fileList: [copy] });
  for (const path of ['a.txt', 'b.txt']) {
    const download = await fetch(await link(to, `cloud://dev.files/${path}`));
    expect(download.headers.get('content-type')).toBe(received);
    expect(await download.text()).toBe('hello');
  }
});

test('each change is reported with its caller', async () => {
  const to = await deploy();
  const fileID = await put(to, 'a.txt', 'hello');
  const move = { srcPath: '/a.txt', dstPath: '/b.txt', removeOriginal: true };
  const moved = await call(to, 'batchCopyFile', { fileList: [move] });
  const deleted = await call(to, 'batchDelete', { fileList: ['cloud://dev.files/b.txt', fileID] });
  const who = { env: 'dev', caller: 'tester' };
  expect(to.changes).toEqual([
    { ...who, action: 'upload', path: 'a.txt', bytes: 5, requestId: expect.any(String) },
    { ...who, action: 'copy', from: 'a.txt', path: 'b.txt', bytes: 5, requestId: moved.requestId },
    { ...who, action: 'delete', path: 'a.txt', requestId: moved.requestId },
    { ...who, action: 'delete', path: 'b.txt', requestId: deleted.requestId },
  ]);
});

test('environments have separate files', async () => {
  const to = await deploy();
  const fileID = await put(to, 'a.txt', 'of dev');
  await put(to, 'a.txt', 'of other', { env: 'other' });
  const { data } = await call(to, 'batchDelete', { fileList: [fileID] }, { env: 'other' });
  expect(data.fileList).toEqual([{ fileID, code: 'STORAGE_FILE_NONEXIST' }]);
  expect(await contentOf(to, 'a.txt')).toBe('of dev');
  expect(await contentOf(to, 'a.txt', 'other')).toBe('of other');
});

test.each(['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'])(
  '%s is for existing environments, and for their own callers',
  async (operation) => {
    const to = await deploy();
    const body = operation === 'getUploadMetaData' ? { path: 'a' } : { fileList: [] };
    expect(await call(to, operation, body, { env: 'nowhere' })).toMatchObject({
      status: 404,
      code: 'INVALID_ENV',
    });
    expect(await call(to, operation, body, { env: 'dev', as: 'other' })).toMatchObject({
      status: 403,
      code: 'STORAGE_EXCEED_AUTHORITY',
    });
    expect(await call(to, operation, body, { env: '__proto__' })).toMatchObject({ status: 404 });
  },
);
