import { type StorageClient, type StorageClientOptions, toWireProfile } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, list } from './support/fake-fetch.ts';
import { bodyOf, respond, serve } from './support/loopback.ts';
import { storageAt, storageWith } from './support/storage.ts';

type Item = string | { fileID?: string; srcPath?: string; dstPath?: string; maxAge?: number };
interface Call {
  readonly body: { fileList: Item[] };
  /** Sends the response. */
  readonly reply: (body: unknown, status?: number) => void;
}

/** Passes each call to the test, which responds when it wants to. */
async function serveLists(take: (call: Call) => void, options: Partial<StorageClientOptions> = {}) {
  const served = await serve(async (request, response) => {
    const body = JSON.parse(String(await bodyOf(request)));
    const reply = (content: unknown, status?: number) => respond(response, content, status);
    take({ body, reply });
  });
  return { ...served, storage: storageAt(served.url, { retry: { delay: 1 }, ...options }) };
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `cloud://dev.files/${at}`);
const idOf = (item: Item) => (typeof item === 'string' ? item : (item.fileID ?? ''));
const linked = (item: Item) => ({
  fileID: idOf(item),
  code: 'SUCCESS',
  tempFileURL: `https://files.example/${idOf(item).split('/').at(-1)}`,
});
const ok = (fileList: unknown[]) => ({
  statusCode: 200,
  body: { requestId: 'r-1', data: { fileList } },
});
const refused = { statusCode: 500, body: { requestId: 'r-2', code: 'SYS_ERR', message: 'No.' } };
const links = (count: number) => ids(count).map((_, at) => `https://files.example/${at}`);

describe('a list of 120 files', () => {
  it('CL-LIST-LIMIT CL-LIST-RESULTS: is split into batches, and matched by file ID in any order', async () => {
    const calls: Call[] = [];
    await using served = await serveLists((call) => {
      calls.push(call);
      if (calls.length < 3) return;
      for (const { body, reply } of calls.toReversed())
        reply(ok(body.fileList.map(linked).toReversed()));
    });
    const results = await served.storage.tempUrls(ids(120));
    expect(calls.map(({ body }) => body.fileList.length).sort()).toEqual([20, 50, 50]);
    const sent = calls.flatMap(({ body }) => body.fileList.map(idOf));
    expect(sent.sort()).toEqual(ids(120).sort());
    expect(results).toEqual(ids(120).map((fileID, at) => ({ fileID, url: links(120)[at] })));
  });

  it('makes at most 4 calls at a time', async () => {
    const waiting: (() => void)[] = [];
    let max = 0;
    await using served = await serveLists(({ body, reply }) => {
      waiting.push(() => reply(ok(body.fileList.map(linked))));
      max = Math.max(max, waiting.length);
      // A fifth call would arrive before the response to a request that was sent after it.
      if (waiting.length === 4)
        void fetch(served.url)
          .catch(() => {})
          .then(() => {
            for (const send of waiting.splice(0)) send();
          });
    });
    await served.storage.delete(ids(400));
    expect(max).toBe(4);
  });

  it('CL-LIST-RESULTS: keeps the results of the other calls if one fails', async () => {
    await using served = await serveLists(({ body, reply }) =>
      idOf(body.fileList[0] ?? '').endsWith('/50')
        ? reply(refused, 500)
        : reply(ok(body.fileList.map(linked))),
    );
    const results = await served.storage.delete(ids(120));
    expect(results.map(({ fileID }) => fileID)).toEqual(ids(120));
    const failed = results.flatMap(({ error }, at) => (error ? [at] : []));
    expect(failed).toEqual(Array.from({ length: 50 }, (_, at) => at + 50));
    expect(results[50]?.error).toMatchObject({ kind: 'storage', code: 'SYS_ERR' });
    expect(results[50]?.error?.message).toMatch(
      /^a list of 50 files was not deleted: SYS_ERR, No\. \(POST .*batchDelete, status 500, request ID r-2\)$/,
    );
  });

  it('keeps the finished results if the signal aborts', async () => {
    const controller = new AbortController();
    let count = 0;
    await using served = await serveLists(({ body, reply }) => {
      count += 1;
      // The fifth call follows the first result.
      if (count === 5) controller.abort(new Error('enough'));
      else if (idOf(body.fileList[0] ?? '').endsWith('/0')) reply(ok(body.fileList.map(linked)));
    });
    const { signal } = controller;
    const results = await served.storage.delete(ids(250), { signal });
    expect(results.map(({ error }) => error?.message)).toEqual([
      ...Array(50).fill(undefined),
      ...Array(200).fill('enough'),
    ]);
  });
});

describe('a list', () => {
  it('CL-ERROR-ITEMS CL-LIST-RESULTS: returns an error for each bad file only', async () => {
    const entries = [
      { fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://files.example/a' },
      { fileID: 'b', code: 'STORAGE_FILE_NONEXIST', message: 'No.', tempFileURL: '' },
      { fileID: 'c', code: 'SUCCESS', tempFileURL: '' },
    ];
    const { storage } = storageWith([list(...entries)]);
    expect(await storage.tempUrls(['a', 'b', 'c', 'd'])).toMatchObject([
      { fileID: 'a', url: 'https://files.example/a' },
      { fileID: 'b', error: { kind: 'storage', code: 'STORAGE_FILE_NONEXIST' } },
      { fileID: 'c', error: { message: expect.stringContaining('no valid URL') } },
      { fileID: 'd', error: { message: expect.stringContaining('no entry for the file') } },
    ]);
  });

  it.each([{}, { code: '' }, { code: 0 }, { code: null }])(
    'CL-ERROR-ITEMS: contains a deleted file only if its code is SUCCESS, not %j',
    async (entry) => {
      const { storage } = storageWith([list({ fileID: 'a', ...entry })]);
      const error = await failureOf(storage.delete('a'));
      expect(error).toMatchObject({ kind: 'storage', code: undefined, status: 200 });
    },
  );

  it('may be empty, and then sends nothing', async () => {
    const { storage, requests } = storageWith([]);
    expect(await storage.tempUrls([])).toEqual([]);
    expect(await storage.delete([])).toEqual([]);
    expect(await storage.move([])).toEqual([]);
    expect(requests).toEqual([]);
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

  it('CL-ERROR-ITEMS CL-LIST-RESULTS: of copies is matched by order, and any code is a failure', async () => {
    const entries = [
      { fileID: '/a' },
      { code: 'OBJECT_ALREADY_EXIST', message: 'No.' },
      {},
      { fileID: '/e', code: 'SUCCESS' },
    ];
    const { storage, requests } = storageWith([list(...entries)]);
    const files = [
      { srcPath: '/a', dstPath: '/b' },
      { srcPath: '/b', dstPath: '/a' },
      { srcPath: '/c', dstPath: '/d' },
      { srcPath: '/d', dstPath: '/e' },
    ];
    expect(await storage.move(files, { overwrite: false })).toMatchObject([
      { srcPath: '/a', dstPath: '/b', fileID: '/a' },
      { srcPath: '/b', dstPath: '/a', error: { code: 'OBJECT_ALREADY_EXIST' } },
      { srcPath: '/c', dstPath: '/d', fileID: undefined },
      { srcPath: '/d', dstPath: '/e', error: { code: 'SUCCESS' } },
    ]);
    expect(await requests[0]?.json()).toEqual({
      fileList: files.map((file) => ({ ...file, removeOriginal: true, overwrite: false })),
    });
  });
});

describe('the lifetime of a link', () => {
  const link = () => list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a' });

  it.each([0, -1, 0.5, Number.NaN, '60', null])(
    'CL-LIFETIME-INTEGER: cannot be %j',
    async (maxAge) => {
      const { storage, requests } = storageWith([]);
      const options = { maxAge: maxAge as number };
      for (const call of [storage.tempUrl('a', options), storage.download('a', options)]) {
        expect(await failureOf(call)).toMatchObject({
          kind: 'options',
          message: `maxAge must be an integer of at least 1, got ${String(maxAge)}.`,
        });
      }
      expect(requests).toEqual([]);
    },
  );

  it.each([undefined, 1, 3600])('CL-LIFETIME-OMITTED: of %s is sent as is', async (maxAge) => {
    const { storage, requests, warnings } = storageWith([link()]);
    await storage.tempUrl('a', { maxAge });
    const item = maxAge === undefined ? { fileID: 'a' } : { fileID: 'a', maxAge };
    expect(await requests[0]?.json()).toEqual({ fileList: [item] });
    expect(warnings).toEqual([]);
  });

  it('CL-LIFETIME-WARNING: above 3600 is sent, with a warning, by default on the console', async () => {
    const { storage, requests, warnings } = storageWith([link()]);
    await storage.tempUrl('a', { maxAge: 1_000_000 });
    expect(await requests[0]?.json()).toMatchObject({ fileList: [{ maxAge: 1_000_000 }] });
    expect(warnings).toEqual([expect.stringContaining('1000000 is above 3600')]);
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    await storageWith([link()], { onWarning: undefined }).storage.tempUrl('a', { maxAge: 3601 });
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  it('CL-LIFETIME-PUBLIC: is always 600 for public use', async () => {
    const { storage, requests } = storageWith([link()]);
    await storage.publicUrl('a', { maxAge: 5 } as object);
    expect(await requests[0]?.json()).toMatchObject({ fileList: [{ maxAge: 600 }] });
  });
});

describe('an invalid argument is refused:', () => {
  const missing = undefined as never;
  it.each<[string, (storage: StorageClient) => Promise<unknown>]>([
    ['fileIDs must be an array, got undefined.', (storage) => storage.delete(missing)],
    ['fileID must be a string, got undefined.', (storage) => storage.delete([missing])],
    ['fileID must be a string, got undefined.', (storage) => storage.download(missing)],
    ['files must be an array, got undefined.', (storage) => storage.copy(missing)],
    ['dstPath must be a string, got undefined.', (storage) => storage.copy('/a', missing)],
    [
      'path must be a string that is not empty, got string.',
      (storage) => storage.upload('', 'hello'),
    ],
  ])('%s (%o)', async (message, call) => {
    const { storage, requests } = storageWith([]);
    expect(await failureOf(call(storage))).toMatchObject({ kind: 'options', message });
    expect(requests).toEqual([]);
  });
});
