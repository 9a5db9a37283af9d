import { toWireProfile } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { storageWith } from './support/clients.ts';
import { envelope, linked, list } from './support/responses.ts';

type Item = string | { readonly fileID: string };

/** Passes the files of each call to the test. */
function storageOf(respond: (items: readonly Item[]) => Response | Promise<Response>) {
  const fetch = async (_: string, { body }: RequestInit) =>
    respond((await new Response(body).json()).fileList);
  return storageWith([], { fetch }).storage;
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `cloud://dev.files/${at}`);
const idOf = (item: Item | undefined) => (typeof item === 'object' ? item.fileID : (item ?? ''));
const entryOf = (item: Item) => {
  const tempFileURL = `https://files.example/${idOf(item).split('/').at(-1)}`;
  return { fileID: idOf(item), code: 'SUCCESS', tempFileURL };
};

it('CL-LIST-LIMIT CL-LIST-RESULTS: a long list is split, 4 calls at a time, and matched by file ID', async () => {
  const calls: (readonly Item[])[] = [];
  let open = 0;
  let max = 0;
  const storage = storageOf(async (items) => {
    calls.push(items);
    open += 1;
    max = Math.max(max, open);
    // A fifth call would come in the same turn.
    await new Promise(setImmediate);
    open -= 1;
    const isFailure = idOf(items[0]).endsWith('/50');
    if (isFailure) return envelope({ code: 'OTHER', message: 'No.' }, 403);
    return list(...items.map(entryOf).toReversed());
  });
  const results = await storage.tempUrls(ids(220));
  expect(max).toBe(4);
  expect(calls.map(({ length }) => length).sort()).toEqual([20, 50, 50, 50, 50]);
  expect(calls.flat().map(idOf).sort()).toEqual(ids(220).sort());
  const message = expect.stringMatching(
    /^No link to a list of 50 files: OTHER, No\. \(POST .*batchGetTempUrls, status 403, request ID r-1\)$/,
  );
  const error = { kind: 'storage', code: 'OTHER', message };
  const expected = ids(220).map((fileID, at) =>
    at >= 50 && at < 100 ? { fileID, error } : { fileID, url: `https://files.example/${at}` },
  );
  expect(results).toMatchObject(expected);
});

describe('a list', () => {
  it('CL-ERROR-ITEMS CL-LIST-RESULTS: returns an error for each bad file only', async () => {
    const { storage } = storageWith([
      list(
        { fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://files.example/a' },
        { fileID: 'b', code: 'STORAGE_FILE_NONEXIST', message: 'No.', tempFileURL: '' },
        { fileID: 'c', code: 'SUCCESS', tempFileURL: '' },
        { fileID: 'd', code: 'SUCCESS', tempFileURL: { toString: 'hostile' } },
      ),
    ]);
    expect(await storage.tempUrls(['a', 'b', 'c', 'd', 'e'])).toMatchObject([
      { fileID: 'a', url: 'https://files.example/a' },
      { fileID: 'b', error: { kind: 'storage', code: 'STORAGE_FILE_NONEXIST' } },
      { fileID: 'c', error: { message: expect.stringContaining('no valid URL') } },
      { fileID: 'd', error: { message: expect.stringContaining('no valid URL') } },
      { fileID: 'e', error: { message: expect.stringContaining('no entry for the file') } },
    ]);
  });

  it('CL-ERROR-ITEMS: contains a deleted file only if its code is SUCCESS', async () => {
    const entries = [{}, { fileID: 'rewritten', code: '' }, { code: 0 }, { code: null }];
    const { storage } = storageWith([list(...entries)]);
    for (const { error } of await storage.delete(['a', 'b', 'c', 'd'])) {
      expect(error).toMatchObject({ kind: 'storage', code: undefined, status: 200 });
    }
  });

  it('CL-ERROR-ITEMS CL-LIST-RESULTS: of copies is matched by order, and any code is a failure', async () => {
    const rows = [
      ['/a', '/b', { fileID: '/a' }, { fileID: '/a' }],
      ['/b', '/a', { code: 'OBJECT_ALREADY_EXIST' }, { error: { code: 'OBJECT_ALREADY_EXIST' } }],
      ['/c', '/d', {}, { fileID: undefined }],
      ['/d', '/e', { fileID: '/e', code: 'SUCCESS' }, { error: { code: 'SUCCESS' } }],
    ] as const;
    const { storage, requests } = storageWith([list(...rows.map(([, , entry]) => entry))]);
    const files = rows.map(([srcPath, dstPath]) => ({ srcPath, dstPath }));
    const results = rows.map(([srcPath, dstPath, , result]) => ({ srcPath, dstPath, ...result }));
    expect(await storage.move(files, { overwrite: false })).toMatchObject(results);
    expect(await requests[0]?.json()).toEqual({
      fileList: files.map((file) => ({ ...file, removeOriginal: true, overwrite: false })),
    });
  });

  it.each([
    ['absolute', '/a/b.txt', '/c.txt'],
    ['relative', 'a/b.txt', 'c.txt'],
  ])('of copies has %s paths if the wire profile says so', async (copyPaths, srcPath, dstPath) => {
    const wireProfile = toWireProfile({ copyPaths });
    const { storage, requests } = storageWith([list({})], { wireProfile });
    const file = Object.freeze({ srcPath: 'a/b.txt', dstPath: '/c.txt' });
    expect(await storage.copy(Object.freeze([file]))).toMatchObject([file]);
    expect(await requests[0]?.json()).toEqual({ fileList: [{ srcPath, dstPath }] });
  });

  it('that is too short gives no file the result of another one', async () => {
    const { storage } = storageWith([list({ fileID: 'cloud://dev.files/b-copy' })]);
    const copies = ['/a', '/b'].map((srcPath) => ({ srcPath, dstPath: `${srcPath}-copy` }));
    const results = await storage.copy(copies);
    for (const { error } of results) expect(error?.message).toContain('no entry');
  });
});

describe('the lifetime of a link', () => {
  const invalid: unknown[] = [0, -1, 0.5, NaN, '60', null];
  it.each(invalid)('CL-LIFETIME-INTEGER: cannot be %j', async (value) => {
    const { storage, requests } = storageWith([]);
    const options = { maxAge: value as number };
    const message = expect.stringContaining('maxAge must be an integer of at least 1, got ');
    for (const call of [storage.tempUrl, storage.download]) {
      await expect(call('a', options)).rejects.toMatchObject({ kind: 'options', message });
    }
    expect(requests).toEqual([]);
  });

  it.each<[string, 'tempUrl' | 'publicUrl', number | undefined, number | undefined, number]>([
    ['CL-LIFETIME-OMITTED', 'tempUrl', undefined, undefined, 0],
    ['CL-LIFETIME-OMITTED', 'tempUrl', 1, 1, 0],
    ['CL-LIFETIME-OMITTED', 'tempUrl', 3600, 3600, 0],
    ['CL-LIFETIME-WARNING', 'tempUrl', 3601, 3601, 1],
    ['CL-LIFETIME-PUBLIC', 'publicUrl', 5, 600, 0],
  ])('%s: of %s for %s is sent as %s, %d warnings', async (_, method, given, maxAge, count) => {
    const { storage, requests, warnings } = storageWith([linked(), linked()]);
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const options = { maxAge: given } as object;
    await storage[method]('a', options);
    await storageWith([linked()], { onWarning: undefined }).storage[method]('a', options);
    expect(await requests[0]?.json()).toEqual({ fileList: [{ fileID: 'a', maxAge }] });
    expect(warnings).toEqual(Array(count).fill(expect.stringContaining('3601 is above 3600')));
    expect(warn).toHaveBeenCalledTimes(count);
    warn.mockRestore();
  });
});
