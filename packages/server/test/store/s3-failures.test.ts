import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { FileTooLargeError, SourceKeptError, StoreUnavailableError } from '@berth/storage';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from '../../src/observe/metrics.ts';
import type { WithLocks } from '../../src/store/locks.ts';
import { S3Store } from '../../src/store/s3/s3-store.ts';
import type { ServerStore } from '../../src/store/server-store.ts';
import { startService } from '../server/support/hosted-service.ts';
import { startServer } from '../server/support/start-server.ts';
import { readAll, toBrokenStream, toBytes, toStream } from './blob-contents.ts';

const KEY = { env: 'dev', path: 'file' };

/** A store over S3 whose responses are those of the listener. */
async function storeOf(listener: RequestListener, sharedLocks?: WithLocks): Promise<ServerStore> {
  const store = new S3Store({
    sharedLocks,
    endpoint: await startService(listener),
    region: 'us-east-1',
    bucket: 'files',
    accessKeyId: 'key',
    secretAccessKey: 'the-secret',
  });
  onTestFinished(() => store.close());
  return store;
}

const respond =
  (status: number, code: string): RequestListener =>
  (_call, response) => {
    const body = `<Error><Code>${code}</Code><Message>the-secret</Message></Error>`;
    response.writeHead(status).end(body);
  };

const put = (store: ServerStore, bytes: number) =>
  store.write(KEY, toStream(Buffer.alloc(bytes)), { contentType: 'a/b' });

test.each<[string, RequestListener, isTransient?: boolean]>([
  ['InternalError, 500', respond(500, 'InternalError')],
  ['SignatureDoesNotMatch, 403', respond(403, 'SignatureDoesNotMatch')],
  ['NoSuchBucket, 404', respond(404, 'NoSuchBucket')],
  ['ECONNRESET', (call) => void call.socket.destroy()],
  ['InvalidArgument, 400', respond(400, 'InvalidArgument'), false],
])(
  'reports a failure, and whether it may pass, without quoting the store: %s',
  async (reason, listener, isTransient = true) => {
    const error = await put(await storeOf(listener), 1).catch((reason) => reason);
    expect(error instanceof StoreUnavailableError).toBe(isTransient);
    const problem = `Cannot use the bucket "files": PutObject failed (${reason}).`;
    expect(error.message.replace(RIGHTS, '')).toBe(problem);
  },
);

const RIGHTS = ' Check the permissions of the credentials (store.accessKeyId).';

test.each([
  ['HEAD', 404, 'The bucket "files" does not exist.'],
  ['HEAD', 403, `Cannot use the bucket "files": HeadBucket failed (Forbidden, 403).${RIGHTS}`],
  ['PUT', 403, `Cannot use the bucket "files": PutObject failed (AccessDenied, 403).${RIGHTS}`],
  [
    'DELETE',
    403,
    `Cannot use the bucket "files": DeleteObject failed (AccessDenied, 403).${RIGHTS}`,
  ],
])('says at start why the bucket cannot be used: %s gets %s', async (method, status, message) => {
  const endpoint = await startService((call, response) => {
    if (call.method !== method) answer(call, response);
    else if (method === 'HEAD') response.writeHead(status).end();
    else respond(status, 'AccessDenied')(call, response);
  });
  const keys = { accessKeyId: 'key', secretAccessKey: 'the-secret' };
  const store = { driver: 's3' as const, bucket: 'files', endpoint, ...keys };
  const { lines } = await startServer({ store });
  const line = { level: 'error', msg: 'cannot use the store: files are unavailable' };
  await expect
    .poll(() => lines.filter(({ level }) => level !== 'info'))
    .toMatchObject([{ ...line, err: { message } }]);
});

test('counts a move whose source cannot be deleted as a failure', async () => {
  const metrics = createMetrics();
  const store = await storeOf((call, response) =>
    call.method === 'DELETE' ? call.socket.destroy() : answer(call, response),
  );
  const error = await METHODS.move?.(store).catch((reason) => reason);
  expect(error).toBeInstanceOf(SourceKeptError);
  metrics.countStoreError(error);
  expect(await metrics.toText()).toContain('berth_store_failures_total 1');
});

test.each(['', 'a/b', '..', 'a.long', '.long', 'a b'])(
  'no key is outside its environment: %j',
  async (env) => {
    const store = await storeOf(answer);
    await expect(store.stat({ env, path: 'a' })).rejects.toThrow(TypeError);
  },
);

test('a sweep keeps an upload whose age the store does not report', async () => {
  const store = await storeOf((call, response) => {
    if (call.method !== 'GET') return answer(call, response);
    response.end('<R><Upload><Key>dev/a</Key><UploadId>1</UploadId></Upload></R>');
  });
  expect(await store.sweep()).toBe(0);
});

test('ends an aborted call immediately, with the reason of the abort', async () => {
  const controller = new AbortController();
  const store = await storeOf(() => controller.abort(new Error('given up')));
  const options = { contentType: 'a/b', signal: controller.signal };
  await expect(store.write(KEY, toStream(Buffer.from('x')), options)).rejects.toThrow('given up');
});

test('ends an aborted upload that waits for a lock, and sends nothing later', async () => {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let locked: Promise<unknown> | undefined;
  const locks: WithLocks = (_names, work) => {
    controller.abort(new Error('given up'));
    const result = promise.then(() => work());
    locked = result;
    return result;
  };
  const listener = vi.fn();
  const store = await storeOf(listener, locks);
  const options = { contentType: 'a/b', signal: controller.signal };
  await expect(store.write(KEY, toStream(Buffer.from('x')), options)).rejects.toThrow('given up');
  resolve();
  await expect(locked).rejects.toThrow('given up');
  expect(listener).not.toHaveBeenCalled();
});

test('refuses a copy beyond 5 GiB before it sends anything', async () => {
  const store = await storeOf((call, response) => {
    expect(call.method).toBe('HEAD');
    response.writeHead(200, { 'content-length': 5 * 1024 ** 3 + 1, etag: '"1-2"' }).end();
  });
  await expect(METHODS.copy?.(store)).rejects.toBeInstanceOf(FileTooLargeError);
});

const copied = { env: 'dev', path: 'copy' };
const METHODS: Record<string, (store: ServerStore) => Promise<unknown>> = {
  stat: (store) => store.stat(KEY),
  open: async (store) => (await store.open(KEY))?.close(),
  write: (store) => put(store, 1),
  'write in parts': (store) => put(store, 6 * 1024 * 1024),
  copy: (store) => store.copy(KEY, copied, { overwrite: true }),
  move: (store) => store.copy(KEY, copied, { overwrite: false, move: true }),
  delete: (store) => store.delete(KEY),
  sweep: (store) => store.sweep(),
  check: (store) => store.check(),
  'check at start': (store) => store.check(true),
};

test.each([
  ['stat', /^HEAD/],
  ['open', /^GET/],
  ['write', /^PUT/],
  ['write in parts', /^POST .*uploads/],
  ['write in parts', /^PUT/],
  ['write in parts', /^POST .*uploadId/],
  ['copy', /^PUT/],
  ['move', /^PUT/],
  ['move', /^DELETE/],
  ['delete', /^DELETE/],
  ['check at start', /^PUT/],
])('%s does not take the page of a proxy for the response of S3 to %s', async (name, replaced) => {
  for (const page of ['', '<html><body>Log in</body></html>', '<R><ETag>"1"</ET', '<<<']) {
    const store = await storeOf((call, response) => {
      if (!replaced.test(`${call.method} ${call.url}`)) return answer(call, response);
      call.resume().once('end', () => response.write(page, () => response.end()));
    });
    // If the response to a copy is not one of S3, a move must not delete its source.
    const isKept = name === 'move' && replaced.test('DELETE');
    const expected = isKept ? SourceKeptError : StoreUnavailableError;
    await expect(METHODS[name]?.(store)).rejects.toBeInstanceOf(expected);
  }
});

test.each(['stat', 'open', 'copy', 'move', 'delete'])(
  '%s does not report a file as missing if the bucket is missing',
  async (name) => {
    const store = await storeOf((call, response) => {
      // The response to HEAD has no body, and so no code.
      if (call.method === 'HEAD') response.writeHead(404).end();
      else respond(404, 'NoSuchBucket')(call, response);
    });
    await expect(METHODS[name]?.(store)).rejects.toBeInstanceOf(StoreUnavailableError);
  },
);

test('skips what was not requested if S3 ignores a range, also after a break', async () => {
  const bytes = toBytes(1_000_000);
  let calls = 0;
  const store = await storeOf((call, response) => {
    calls += 1;
    response.writeHead(200, { etag: '"1"', 'content-length': bytes.length });
    if (calls > 1) response.end(bytes);
    else response.write(bytes.subarray(0, 100_003), () => response.destroy());
    call.resume();
  });
  expect((await readAll(store, KEY))?.equals(bytes)).toBe(true);
  const range = { start: 600_005, end: 600_014 };
  expect(await readAll(store, KEY, range)).toEqual(bytes.subarray(600_005, 600_015));
});

test('ends an upload whose part is refused, although its content stalls', async () => {
  const store = await storeOf((call, response) =>
    call.method === 'PUT' ? respond(403, 'AccessDenied')(call, response) : answer(call, response),
  );
  const content = toBrokenStream(Buffer.alloc(6 * 1024 * 1024), () => {});
  await expect(store.write(KEY, content, { contentType: 'a/b' })).rejects.toThrow('AccessDenied');
  expect(content.destroyed).toBe(true);
});

test.each(['write', 'write in parts', 'copy', 'move', 'delete'])(
  '%s changes no file after the lock is lost',
  async (name) => {
    const run = METHODS[name] as (store: ServerStore) => Promise<unknown>;
    const isChange = ({ method = '', url = '' }: IncomingMessage) =>
      ['PUT', 'DELETE'].includes(method) || (method === 'POST' && !url.includes('?uploads'));
    // How many requests and changes there are while the lock is held.
    for (let heldFor = 0; ; heldFor += 1) {
      let requests = Number.NaN;
      let late = 0;
      const locks: WithLocks = async (_names, work) => {
        requests = 0;
        const assertHeld = () => {
          if (requests >= heldFor) throw new StoreUnavailableError('lost');
        };
        const lock = { signal: new AbortController().signal, assertHeld };
        // What follows is not under the lock.
        return work(lock).finally(() => {
          requests = Number.NaN;
        });
      };
      const store = await storeOf((call, response) => {
        if (isChange(call) && requests >= heldFor) late += 1;
        requests += 1;
        answer(call, response);
      }, locks);
      const outcome = await run(store).catch((error: Error) => error);
      expect(late).toBe(0);
      if (!(outcome instanceof Error)) return;
    }
  },
);

describe('an S3 that accepts connections and never answers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  async function expectEndInMinute(work: Promise<unknown>): Promise<void> {
    const pending = new Set([work]);
    // Only what is in the way after the work is done, such as parts, may stay unanswered.
    const end = work
      .catch((error) => expect(error).toBeInstanceOf(StoreUnavailableError))
      .finally(() => pending.clear());
    for (let second = 0; second < 60; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      await setImmediate();
    }
    expect(pending.size).toBe(0);
    await end;
  }

  test.each(Object.keys(METHODS))('%s ends, and works when S3 answers again', async (name) => {
    const run = METHODS[name] as (store: ServerStore) => Promise<unknown>;
    let count = 0;
    let silentFrom = 0;
    let silence = Promise.withResolvers<void>();
    const store = await storeOf((call, response) => {
      count += 1;
      if (count > silentFrom) silence.resolve();
      else answer(call, response);
    });
    // Silent from the first request on, then from the second one on, until there is no such request.
    for (let answered = 0; ; answered += 1) {
      [count, silentFrom, silence] = [0, answered, Promise.withResolvers<void>()];
      const work = run(store);
      await Promise.race([work, silence.promise]);
      if (count <= silentFrom) return;
      await expectEndInMinute(work);
      silentFrom = Number.POSITIVE_INFINITY;
      await run(store);
    }
  });

  test('keeps no lock: changes that wait for it end, too', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const store = await storeOf(() => resolve());
    const works = [store.delete(KEY), put(store, 1), store.delete(KEY)];
    await promise;
    await Promise.all(works.map(expectEndInMinute));
  });
});

/** What S3 answers to any request of the store; there is one object. */
function answer(call: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '' } = call;
  const { search } = new URL(url, 'http://s3');
  call.resume().once('end', () => {
    response.setHeader('etag', '"1"');
    if (method === 'HEAD') response.setHeader('content-length', 7);
    if (method === 'DELETE') response.statusCode = 204;
    if (search.includes('uploads') && method === 'POST') {
      return response.end('<R><UploadId>1</UploadId></R>');
    }
    if (['PUT', 'POST'].includes(method)) return response.end('<R><ETag>"1"</ETag></R>');
    const isObject = ['GET', 'HEAD'].includes(method) && !search.includes('prefix');
    // A move that must not overwrite finds no file there.
    if (isObject && url.includes('/copy')) response.statusCode = 404;
    return response.end(method === 'HEAD' || method === 'DELETE' ? undefined : '<R></R>');
  });
}

test('limits the memory of all stalled uploads together', async () => {
  const store = await storeOf((call, response) => {
    call.resume().once('end', () => response.setHeader('etag', '"1"').end());
  });
  const bytes = Buffer.alloc(4 * 1024 * 1024);
  const stalled: Promise<unknown>[] = [];
  const controller = new AbortController();
  // 4 MiB each: with one more they would be uploaded in parts.
  const stall = () =>
    new Promise<void>((resolve, reject) => {
      const content = toBrokenStream(bytes, () => resolve());
      const upload = store.write(KEY, content, { contentType: 'a/b', signal: controller.signal });
      upload.catch(reject);
      stalled.push(upload);
    });
  for (let index = 0; index < 12; index++) await stall();
  const { arrayBuffers } = process.memoryUsage();
  for (let index = 0; index < 20; index++)
    await expect(stall()).rejects.toThrow(StoreUnavailableError);
  // What is refused keeps nothing, whenever its caller disconnects.
  expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(bytes.length);
  // After a minute without a complete part, the slowest upload makes room for the next ones.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(stall()).rejects.toThrow(StoreUnavailableError);
  await expect(stalled[0]).rejects.toThrow('too slow');
  await stall();
  controller.abort(new Error('given up'));
  await Promise.allSettled(stalled);
  const content = new PassThrough().end('x');
  expect(await store.write(KEY, content, { contentType: 'a/b' })).toMatchObject({ size: 1 });
});
