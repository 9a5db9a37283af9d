import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendRaw, statusesOf } from '../support/send-raw.ts';
import { startWhole, type Whole } from './support/start-whole.ts';
import { post } from './support/storage-client.ts';

async function expectUntouched({ root, disk }: Whole, files = 0): Promise<void> {
  expect(await readFile(join(root, 'secret'), 'utf8')).toBe('hush-hush');
  expect(await readFile(join(root, '../secret'), 'utf8')).toBe('hush-hush');
  expect(await disk()).toHaveLength(files + 1);
}

/** Paths that no file can have (D24). */
const REFUSED = [
  '../secret',
  '/../../secret',
  '//secret',
  'a/../../secret',
  '..',
  'a/./b',
  'a\0b',
  'a\r\nX-Injected: 1',
  'a\u0085b',
  '\uD800',
  'a//b',
  'a/',
  '',
  '€'.repeat(342),
];

test('no field of any call accepts a path that no file can have', async () => {
  const whole = await startWhole();
  const { dev } = whole;
  const { status } = await dev.upload('a.txt', 'a');
  expect(status).toBe(204);
  const meta = await dev.grant('b.txt');
  for (const path of REFUSED) {
    expect(await dev.call('getUploadMetaData', { path })).toMatchObject({
      status: 400,
      code: 'INVALID_PARAM',
      message: expect.stringMatching(/^path /),
    });
    expect((await post(meta, path, 'x')).ok).toBe(false);
    const copies = await dev.call('batchCopyFile', {
      fileList: [
        { srcPath: path, dstPath: '/c.txt' },
        { srcPath: '/a.txt', dstPath: path },
      ],
    });
    expect(copies.data?.fileList.map(({ code }) => code)).toEqual([
      'INVALID_PARAM',
      'INVALID_PARAM',
    ]);
    const fileID = `cloud://dev.files/${path}`;
    const links = await dev.call('batchGetTempUrls', { fileList: [{ fileID }] });
    expect(links.data?.fileList[0]).toMatchObject({ tempFileURL: '' });
    const deleted = await dev.call('batchDelete', { fileList: [fileID] });
    expect(deleted.data?.fileList[0]?.code).toBe('STORAGE_FILE_NONEXIST');
  }
  await expectUntouched(whole, 1);
});

test('the signature of a link is not valid for a spelling that leads elsewhere', async () => {
  const { dev, port } = await startWhole();
  await dev.upload('folder/a.txt', 'mine');
  await dev.upload('folder/b.txt', 'other');
  const { pathname, search } = new URL(await dev.link('folder/a.txt'));
  const to = async (path: string) => {
    const response = await sendRaw(
      port,
      `GET ${path}${search} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    );
    return { status: statusesOf(response)[0], response };
  };
  expect((await to(pathname)).status).toBe(200);
  for (const path of [
    pathname.replace('a.txt', 'b.txt'),
    pathname.replace('a.txt', 'a.txt/../b.txt'),
    pathname.replace('a.txt', 'a.txt%2F..%2Fb.txt'),
    pathname.replace('a.txt', 'a.txt%00'),
    pathname.replace('/dev/', '/qa/'),
    pathname.replace('/files/dev', '/files/x/../dev'),
    pathname.replace('folder/', 'folder//'),
  ]) {
    const { status, response } = await to(path);
    expect([path, status]).toEqual([
      path,
      expect.toSatisfy((code) => code === 403 || code === 404),
    ]);
    expect(response).not.toMatch(/mine|other|hush-hush/);
  }
});

const TARGETS = [
  'GET /files/../store/secret',
  'GET /files/../../../etc/passwd',
  'GET /..%2f..%2fetc/passwd',
  'GET /files/%2e%2e/secret',
  'GET /files/dev/files/%2e%2e%2f%2e%2e%2fsecret',
  'GET /files/dev/files/%252e%252e/secret',
  'GET /files/dev/files/a%00',
  'GET /files/dev/files/%c0%ae%c0%ae/secret',
  'GET /files/__proto__/files/a',
  'GET /files/dev/files/secret?__proto__=1&sign=__proto__',
  'GET /files\\..\\secret',
  'GET file:///etc/passwd',
  'GET http://127.0.0.1/files/../secret',
  'POST /api/v2/envs/../envs/dev/storages:batchDelete',
  'POST /api/v2/envs/dev%2f..%2fqa/storages:batchDelete',
  'GET /v1/cloudrun/../../files/secret',
  'GET /v1/cloudrun/..%2fhello',
];

test('no target leads out of its surface', async () => {
  const { port, lines, seen } = await startWhole();
  for (const target of TARGETS) {
    const response = await sendRaw(
      port,
      `${target} HTTP/1.1\r\nHost: dev.localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    const [status = 0] = statusesOf(response);
    expect([target, status >= 400 && status < 500]).toEqual([target, true]);
    expect(response).not.toMatch(/root:|hush-hush/);
  }
  expect(seen).toEqual([]);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});
