import type { StorageClientOptions } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, list } from './support/fake-fetch.ts';
import { bodyOf, respond, serve } from './support/loopback.ts';
import { storageAt, storageWith } from './support/storage.ts';

type Item = string | { fileID?: string; srcPath?: string; dstPath?: string; maxAge?: number };
interface Call {
  readonly url: string;
  readonly body: { fileList: Item[]; data?: { fileList: Item[] } };
  /** Sends the response. */
  readonly reply: (body: unknown, status?: number) => void;
}

/** Passes each call to the test, which responds when it wants to. */
async function serveLists(take: (call: Call) => void, options: Partial<StorageClientOptions> = {}) {
  const served = await serve(async (request, response) => {
    const body = JSON.parse(String(await bodyOf(request)));
    const reply = (content: unknown, status?: number) => respond(response, content, status);
    take({ url: request.url ?? '', body, reply });
  });
  const storage = storageAt(served.url, { retry: { baseDelay: 1 }, ...options });
  return { ...served, storage };
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

describe('a list of 120 files', () => {
  it('is split into batches of 50, and its results are in order whichever response comes first', async () => {
    const calls: Call[] = [];
    await using served = await serveLists((call) => {
      calls.push(call);
      if (calls.length < 3) return;
      for (const { body, reply } of calls.toReversed()) reply(ok(body.fileList.map(linked)));
    });
    const files = ids(120);
    const results = await served.storage.tempUrls(files);
    expect(calls.map(({ body }) => body.fileList.length).sort()).toEqual([20, 50, 50]);
    expect(results).toEqual(
      files.map((fileID, at) => ({ fileID, url: `https://files.example/${at}` })),
    );
  });

  it('is matched by file ID if the entries are in another order', async () => {
    await using served = await serveLists(({ body, reply }) =>
      reply(ok(body.fileList.map(linked).toReversed())),
    );
    const results = await served.storage.tempUrls(ids(120));
    expect(results.map(({ url }) => url)).toEqual(
      ids(120).map((_, at) => `https://files.example/${at}`),
    );
  });

  it('makes at most 4 parallel calls', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    await using served = await serveLists(({ body, reply }) => {
      waiting.push(() => reply(ok(body.fileList.map(linked))));
      most = Math.max(most, waiting.length);
      // A fifth call would arrive before the response to a request that was sent after it.
      if (waiting.length === 4)
        void fetch(served.url)
          .catch(() => {})
          .then(() => {
            for (const respond of waiting.splice(0)) respond();
          });
    });
    await served.storage.delete(ids(400));
    expect(most).toBe(4);
  });

  it('keeps the results of the other calls if one fails', async () => {
    await using served = await serveLists(({ body, reply }) =>
      idOf(body.fileList[0] ?? '').endsWith('/50')
        ? reply(refused, 500)
        : reply(ok(body.fileList.map(linked))),
    );
    const results = await served.storage.delete(ids(120));
    expect(results.map(({ fileID }) => fileID)).toEqual(ids(120));
    const failed = results.flatMap(({ error }, at) => (error ? [at] : []));
    expect(failed).toEqual(Array.from({ length: 50 }, (_, at) => at + 50));
    expect(results[50]?.error).toMatchObject({ name: 'StorageError', code: 'SYS_ERR' });
    expect(results[50]?.error?.message).toMatch(
      /^a list of 50 files was not deleted: SYS_ERR, No\. \(POST .*batchDelete, status 500, request id r-2\)$/,
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
  it('returns an error for each bad file, and does not affect the good ones', async () => {
    await using served = await serveLists(({ body, reply }) =>
      reply(
        ok([
          linked(body.fileList[0] ?? ''),
          { fileID: 'b', code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' },
          { fileID: 'c', code: 'SUCCESS', tempFileURL: '' },
        ]),
      ),
    );
    const results = await served.storage.tempUrls(['a', 'b', 'c', 'd']);
    expect(results).toMatchObject([
      { fileID: 'a', url: 'https://files.example/a' },
      { fileID: 'b', error: { code: 'STORAGE_FILE_NONEXIST' } },
      { fileID: 'c', error: { message: expect.stringContaining('no valid URL') } },
      { fileID: 'd', error: { message: expect.stringContaining('no entry for the file') } },
    ]);
  });

  it.each([{}, { code: '' }, { code: 0 }, { code: null }])(
    'contains a deleted file only if its code is SUCCESS: %j',
    async (entry) => {
      await using served = await serveLists(({ reply }) => reply(ok([{ fileID: 'a', ...entry }])));
      const error = await failureOf(served.storage.delete('a'));
      expect(error).toMatchObject({ name: 'StorageError', code: undefined, status: 200 });
    },
  );

  it('may be empty, and then sends nothing', async () => {
    const { storage } = await serveLists(() => expect.unreachable());
    expect(await storage.tempUrls([])).toEqual([]);
    expect(await storage.delete([])).toEqual([]);
    expect(await storage.move([])).toEqual([]);
  });

  it.each([
    ['absolute', '/a/b.txt', '/c.txt'],
    ['relative', 'a/b.txt', 'c.txt'],
  ])('of copies has %s paths if the wire profile says so', async (copyPaths, srcPath, dstPath) => {
    const bodies: unknown[] = [];
    await using served = await serveLists(
      ({ body, reply }) => {
        bodies.push(body);
        reply(ok([{}]));
      },
      { wireProfile: { copyPaths } },
    );
    const spelled = { srcPath: 'a/b.txt', dstPath: '/c.txt' };
    expect(await served.storage.copy([spelled])).toMatchObject([spelled]);
    expect(bodies).toEqual([{ fileList: [{ srcPath, dstPath }] }]);
  });

  it('of copies keeps its order, because entries name the destination', async () => {
    const bodies: unknown[] = [];
    await using served = await serveLists(({ body, reply }) => {
      bodies.push(body);
      reply(ok([{ fileID: '/a' }, { code: 'OBJECT_ALREADY_EXIST', message: 'No.' }, {}]));
    });
    const files = [
      { srcPath: '/a', dstPath: '/b' },
      { srcPath: '/b', dstPath: '/a' },
      { srcPath: '/c', dstPath: '/d' },
    ];
    expect(await served.storage.move(files, { overwrite: false })).toMatchObject([
      { srcPath: '/a', dstPath: '/b', fileID: '/a' },
      { srcPath: '/b', dstPath: '/a', error: { code: 'OBJECT_ALREADY_EXIST' } },
      { srcPath: '/c', dstPath: '/d', fileID: undefined },
    ]);
    expect(bodies).toEqual([
      {
        fileList: [
          { srcPath: '/a', dstPath: '/b', removeOriginal: true, overwrite: false },
          { srcPath: '/b', dstPath: '/a', removeOriginal: true, overwrite: false },
          { srcPath: '/c', dstPath: '/d', removeOriginal: true, overwrite: false },
        ],
      },
    ]);
  });
});

describe('the lifetime of a link', () => {
  const link = () => list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a' });

  it.each([undefined, 1, 3600])('of %s is sent without a warning', async (maxAge) => {
    const { storage, requests, warnings } = storageWith([link()]);
    await storage.tempUrl('a', { maxAge });
    expect(await requests[0]?.json()).toEqual({ fileList: [{ fileID: 'a', maxAge }] });
    expect(warnings).toEqual([]);
  });

  it('above 3600 is sent, with a warning, by default on the console', async () => {
    const { storage, requests, warnings } = storageWith([link()]);
    await storage.tempUrl('a', { maxAge: 1_000_000 });
    expect(await requests[0]?.json()).toMatchObject({ fileList: [{ maxAge: 1_000_000 }] });
    expect(warnings).toEqual([expect.stringContaining('1000000 is above 3600')]);
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    await storageWith([link()], { onWarning: undefined }).storage.tempUrl('a', { maxAge: 3601 });
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  it('is always 600 for public use', async () => {
    const { storage, requests } = storageWith([link()]);
    await storage.publicUrl('a');
    expect(await requests[0]?.json()).toMatchObject({ fileList: [{ maxAge: 600 }] });
  });
});

it.each([
  ['reports/a.txt', 'No link to reports/a.txt (a path, not an ID): '],
  ['cloud://dev.files/a.txt', 'No link to cloud://dev.files/a.txt: '],
])('refuses %s with a hint if it is a path', async (fileID, message) => {
  const missing = { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' };
  const error = await failureOf(storageWith([list(missing)]).storage.download(fileID));
  expect(String(error)).toContain(message);
});

it('sends fields nested in data to a deployment that expects them there', async () => {
  const bodies: unknown[] = [];
  await using served = await serveLists(
    ({ body, reply }) => {
      bodies.push(body);
      reply(ok((body.data?.fileList ?? []).map(linked)));
    },
    { requestForm: 'data' },
  );
  await served.storage.delete(['a']);
  expect(bodies).toEqual([{ data: { fileList: ['a'] } }]);
});

it('ends the call if the response has no end', async () => {
  let sent = 0;
  await using served = await serve((_, response) => {
    const piece = Buffer.alloc(1_048_576, ' ');
    const go = () => {
      sent += piece.length;
      // Enough to fail the test without the limit.
      if (sent < 2 ** 28) response.write(piece, (error) => error ?? go());
      else response.destroy();
    };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    go();
  });
  const error = await failureOf(storageAt(served.url).tempUrl('cloud://dev.files/a'));
  expect(error).toMatchObject({ name: 'StorageError', status: 200 });
  expect(sent).toBeLessThan(2 ** 26);
});
