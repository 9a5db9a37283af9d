import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  call,
  contentOf,
  type Deployment,
  deploy,
  grant,
  link,
  post,
  put,
  send,
  toFields,
} from './support/client.ts';

/** Paths that no file can have (D24). */
const REFUSED = [
  '../secret',
  '/../secret',
  '//secret',
  'a/../../secret',
  'a/./b',
  './secret',
  'a//b',
  'a/',
  '..',
  '.',
  '/',
  '',
  'a\u0000.txt',
  'a\r\nX-Injected: 1',
  'a\u0085b',
  '\uD800',
  'x'.repeat(1025),
  '€'.repeat(342),
];

/** Paths that look like others, and are ordinary names. */
const TAKEN = [
  '%2e%2e/%2e%2e/secret',
  '%252e%252e%252fsecret',
  '..%2fsecret',
  '%00',
  '..\\..\\secret',
  'C:\\secret',
  'C:/secret',
  'a:b',
  'CON',
  'nul.txt',
  '．．/secret',
  '\u2024\u2024/secret',
  '‥/secret',
  '..\u2215secret',
  '..\uFF0Fsecret',
  '.. /secret',
  '.../secret',
  '__proto__',
  'constructor/prototype',
  '~/secret',
  '$HOME',
  'tmp',
  'files',
];

/** A deployment with a file next to its own that must not be reachable. */
async function deployBesideSecret(): Promise<Deployment> {
  const to = await deploy();
  await writeFile(join(to.root, 'secret'), 'secret');
  return to;
}

async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('a path that no file can have', () => {
  test.each(REFUSED)('gets no upload grant: %j', async (path) => {
    const to = await deployBesideSecret();
    expect(await call(to, 'getUploadMetaData', { path })).toMatchObject({
      status: 400,
      code: 'INVALID_PARAM',
      message: expect.stringMatching(/^path /),
    });
  });

  test.each(REFUSED)('is not a valid key of a form: %j', async (path) => {
    const to = await deployBesideSecret();
    const meta = await grant(to, 'a.txt');
    const response = await post(meta.url, { ...toFields('a.txt', meta), key: path }, 'changed');
    expect(response.ok).toBe(false);
    expect(await response.text()).toContain('<Error>');
    expect(await listFiles(to.root)).toEqual([join(to.root, 'secret')]);
  });

  test('is not a file for any operation', async () => {
    const to = await deployBesideSecret();
    await put(to, 'a.txt', 'hello');
    const before = await listFiles(to.root);
    for (const path of REFUSED) {
      const fileID = `cloud://dev.files/${path}`;
      const links = await call(to, 'batchGetTempUrls', { fileList: [{ fileID }] });
      expect(links.data.fileList).toEqual([
        { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' },
      ]);
      const deleted = await call(to, 'batchDelete', { fileList: [fileID] });
      expect(deleted.data.fileList).toEqual([{ fileID, code: 'STORAGE_FILE_NONEXIST' }]);
      const copied = await call(to, 'batchCopyFile', {
        fileList: [
          { srcPath: path, dstPath: '/b.txt' },
          { srcPath: '/a.txt', dstPath: path },
        ],
      });
      expect(copied.data.fileList.map(({ code }) => code)).toEqual([
        'INVALID_PARAM',
        'INVALID_PARAM',
      ]);
    }
    expect(await listFiles(to.root)).toEqual(before);
    expect(await readFile(join(to.root, 'secret'), 'utf8')).toBe('secret');
    expect(to.errors).toEqual([]);
  });
});

test.each(TAKEN)('a path that looks like another is a name: %j', async (path) => {
  const to = await deployBesideSecret();
  const fileID = await put(to, path, 'hello');
  expect(fileID).toBe(`cloud://dev.files/${path}`);
  expect(await contentOf(to, path)).toBe('hello');
  const address = await link(to, fileID);
  expect(await (await fetch(address)).text()).toBe('hello');
  const { data } = await call(to, 'batchCopyFile', {
    fileList: [{ srcPath: '/tmp', dstPath: path }],
  });
  expect(['INVALID_PARAM', 'STORAGE_FILE_NONEXIST']).toContain(data.fileList[0]?.code);
  const deleted = await call(to, 'batchDelete', { fileList: [fileID] });
  expect(deleted.data.fileList[0]?.code).toBe('SUCCESS');
  expect(await readFile(join(to.root, 'secret'), 'utf8')).toBe('secret');
});

test.each([
  '/files/../secret',
  '/files/%2e%2e/secret',
  '/files/dev/files/../../../secret',
  '/files/dev/files/%2e%2e%2f%2e%2e%2fsecret',
  '/files/dev/files/..%5c..%5csecret',
  '/files/dev/files/%252e%252e/secret',
  '/files/dev/files/a%00',
  '/files/dev/files/%c0%ae%c0%ae/secret',
  '/files/dev/files/%uff0e%uff0e/secret',
  '/files//etc/passwd',
  '/files/__proto__/files/a',
  '/files/dev/files/secret?expires[]=1&sign[]=2',
  '/files/dev/files/secret?__proto__=1&sign=__proto__',
])('no link leads out of the files: %s', async (path) => {
  const to = await deployBesideSecret();
  const response = await send(to.base, path);
  expect(response.status).toBe(403);
  expect(to.errors).toEqual([]);
});

test('items that target Object.prototype change nothing', async () => {
  const to = await deploy();
  await put(to, 'a.txt', 'hello');
  const item =
    '{"srcPath":"/a.txt","dstPath":"/b.txt","__proto__":{"overwrite":false,"polluted":1}}';
  const response = await call(
    to,
    'batchCopyFile',
    `{"fileList":[${item}],"__proto__":{"polluted":1}}`,
  );
  expect(response.status).toBeLessThan(500);
  const ids = ['__proto__', 'constructor', 'cloud://dev.files/__proto__'];
  const { data } = await call(to, 'batchDelete', { fileList: ids });
  expect(data.fileList.map(({ code }) => code)).toEqual(Array(3).fill('STORAGE_FILE_NONEXIST'));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('a name cannot inject headers into a response', async () => {
  const to = await deploy();
  const fileID = await put(to, 'a"; filename*=UTF-8\'\'evil.exe; x="', 'hello');
  const response = await fetch(await link(to, fileID));
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w.%-]+$/,
  );
});

test('a symbolic link in the folder of files is not followed', async () => {
  const to = await deployBesideSecret();
  await put(to, 'folder/a.txt', 'hello');
  const [file = ''] = (await listFiles(join(to.root, 'files'))).filter((path) =>
    path.endsWith('a.txt'),
  );
  await symlink(join(to.root, 'secret'), file.replace(/a\.txt$/, 'b.txt'));
  const response = await call(to, 'batchGetTempUrls', {
    fileList: [{ fileID: 'cloud://dev.files/folder/b.txt' }],
  });
  expect(response).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(response.data).toBeUndefined();
});
