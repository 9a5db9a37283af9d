import { SourceKeptError, StoreUnavailableError } from '@berth/server-stubs/engine';
import { describe, expect, test } from 'vitest';
import { call, contentOf, type Deployment, deploy, link, put } from './support/client.ts';

const codesOf = ({ data }: { data: { fileList: Record<string, string>[] } }) =>
  data.fileList.map(({ code }) => code);

const copy = (to: Deployment, ...fileList: unknown[]) => call(to, 'batchCopyFile', { fileList });

describe('copies', () => {
  test('replace the destination, and leave the source', async () => {
    const to = await deploy();
    await put(to, 'a.txt', 'new', { type: 'text/css' });
    await put(to, 'b.txt', 'old');
    const { status, data } = await copy(to, { srcPath: '/a.txt', dstPath: '/b.txt' });
    expect(status).toBe(200);
    expect(data.fileList).toEqual([{ fileID: 'cloud://dev.files/b.txt' }]);
    expect(await contentOf(to, 'a.txt')).toBe('new');
    expect(await contentOf(to, 'b.txt')).toBe('new');
    expect((await to.blobs.stat({ env: 'dev', path: 'b.txt' }))?.contentType).toBe('text/css');
  });

  test('leave a destination that must not be replaced', async () => {
    const to = await deploy();
    await put(to, 'a.txt', 'new');
    await put(to, 'b.txt', 'old');
    const item = { srcPath: '/a.txt', dstPath: '/b.txt', overwrite: false, removeOriginal: true };
    const { data } = await copy(to, item);
    expect(data.fileList).toEqual([
      { code: 'OBJECT_ALREADY_EXIST', message: 'The destination exists.' },
    ]);
    expect(await contentOf(to, 'a.txt')).toBe('new');
    expect(await contentOf(to, 'b.txt')).toBe('old');
  });

  test('move if the option is set', async () => {
    const to = await deploy();
    await put(to, 'a.txt', 'hello');
    const item = { srcPath: 'a.txt', dstPath: '/folder/b.txt', removeOriginal: true };
    expect((await copy(to, item)).data.fileList).toEqual([
      { fileID: 'cloud://dev.files/folder/b.txt' },
    ]);
    expect(await contentOf(to, 'a.txt')).toBeUndefined();
    expect(await contentOf(to, 'folder/b.txt')).toBe('hello');
  });

  test('a bad item fails alone, with code and message', async () => {
    const to = await deploy();
    await put(to, 'a.txt', 'hello');
    const good = { srcPath: '/a.txt', dstPath: '/照片/b!-_.,*.txt' };
    const bad = [
      { srcPath: '/missing.txt', dstPath: '/c.txt' },
      { srcPath: '/a.txt', dstPath: '/a.txt' },
      { srcPath: '/a.txt', dstPath: 'a.txt' },
      { srcPath: '/a.txt', dstPath: '/b c.txt' },
      { srcPath: '/a.txt', dstPath: '' },
      { srcPath: '', dstPath: '/c.txt' },
      { srcPath: '/a.txt', dstPath: '/__proto__/../c' },
      { srcPath: '/__proto__', dstPath: '/c' },
    ];
    const { status, data } = await copy(to, good, ...bad, good);
    expect(status).toBe(200);
    const [first, ...others] = data.fileList;
    expect(first).toEqual({ fileID: 'cloud://dev.files/照片/b!-_.,*.txt' });
    expect(others.pop()).toEqual(first);
    expect(others.map(({ code }) => code)).toEqual([
      'STORAGE_FILE_NONEXIST',
      ...Array(6).fill('INVALID_PARAM'),
      'STORAGE_FILE_NONEXIST',
    ]);
    for (const failure of others)
      expect(failure).toEqual({ code: failure.code, message: expect.any(String) });
  });
});

describe('within one batch', () => {
  test('later items see what earlier ones did', async () => {
    const to = await deploy();
    await put(to, 'a', 'of a');
    await put(to, 'b', 'of b');
    const swap = [
      { srcPath: '/a', dstPath: '/tmp', removeOriginal: true },
      { srcPath: '/b', dstPath: '/a', removeOriginal: true },
      { srcPath: '/tmp', dstPath: '/b', removeOriginal: true },
      { srcPath: '/tmp', dstPath: '/c' },
    ];
    expect(codesOf(await copy(to, ...swap))).toEqual([
      undefined,
      undefined,
      undefined,
      'STORAGE_FILE_NONEXIST',
    ]);
    expect(await contentOf(to, 'a')).toBe('of b');
    expect(await contentOf(to, 'b')).toBe('of a');
  });

  test('results are in request order, even for fifty items', async () => {
    const to = await deploy();
    const ids = Array.from({ length: 50 }, (_, at) => `cloud://dev.files/f${at}`);
    for (const at of [3, 30, 49]) await put(to, `f${at}`, 'x');
    const { data } = await call(to, 'batchDelete', { fileList: ids });
    expect(data.fileList).toEqual(
      ids.map((fileID, at) => ({
        fileID,
        code: [3, 30, 49].includes(at) ? 'SUCCESS' : 'STORAGE_FILE_NONEXIST',
      })),
    );
  });
});

describe('if the store fails', () => {
  const failing = async (isDown: (path: string) => boolean) => {
    const { blobs: store } = await deploy();
    const guard = async <Result>(path: string, run: () => Promise<Result>): Promise<Result> => {
      if (isDown(path)) throw new StoreUnavailableError('The store is away.');
      return run();
    };
    const down: typeof store = {
      ...store,
      stat: (key) => guard(key.path, () => store.stat(key)),
      open: (key) => guard(key.path, () => store.open(key)),
      delete: (key) => guard(key.path, () => store.delete(key)),
      copy: (from, to, options) => guard(to.path, () => store.copy(from, to, options)),
      write: (key, ...rest) => guard(key.path, () => store.write(key, ...rest)),
    };
    return deploy({ blobs: down });
  };

  const LISTS: readonly (readonly [string, (name: string) => unknown])[] = [
    ['batchGetTempUrls', (name) => ({ fileID: `cloud://dev.files/${name}` })],
    ['batchDelete', (name) => `cloud://dev.files/${name}`],
    ['batchCopyFile', (name) => ({ srcPath: '/source', dstPath: `/${name}` })],
  ];

  test.each(LISTS)('%s fails those items alone', async (operation, toItem) => {
    const to = await failing((path) => path === 'down');
    await put(to, 'up', 'x');
    await put(to, 'source', 'x');
    const response = await call(to, operation, { fileList: [toItem('down'), toItem('up')] });
    expect(response.status).toBe(200);
    const good = operation === 'batchCopyFile' ? undefined : 'SUCCESS';
    expect(codesOf(response)).toEqual(['SERVICE_UNAVAILABLE', good]);
    expect(to.errors).toEqual([expect.any(StoreUnavailableError)]);
  });

  test.each(LISTS)('%s fails if nothing could be done', async (operation, toItem) => {
    const to = await failing(() => true);
    const response = await call(to, operation, { fileList: [toItem('a'), toItem('b')] });
    expect(response).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(response.headers.get('retry-after')).toBe('1');
  });

  test('a move whose source cannot be removed reports that, and leaves it', async () => {
    const { blobs } = await deploy();
    const to = await deploy({
      blobs: {
        ...blobs,
        async copy(from, target, options) {
          const info = await blobs.copy(from, target, { ...options, move: false });
          throw new SourceKeptError(info, new StoreUnavailableError('down'));
        },
      },
    });
    await put(to, 'a', 'hello');
    const response = await copy(to, { srcPath: '/a', dstPath: '/b', removeOriginal: true });
    expect(codesOf(response)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(await contentOf(to, 'a')).toBe('hello');
    expect(await contentOf(to, 'b')).toBe('hello');
    expect(to.changes.map(({ action }) => action)).toEqual(['upload', 'copy']);
  });

  test('uploads and downloads report it, and recover by themselves', async () => {
    let isDown = true;
    const to = await failing(() => isDown);
    await expect(put(to, 'a', 'hello')).rejects.toThrow('<Code>ServiceUnavailable</Code>');
    isDown = false;
    const address = await link(to, await put(to, 'a', 'hello'));
    isDown = true;
    const response = await fetch(address);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).toContain('<Code>ServiceUnavailable</Code>');
    isDown = false;
    expect(await (await fetch(address)).text()).toBe('hello');
  });
});
