import type { RequestListener } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { StoreFullError } from '@berth/storage';
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/blob-store.ts';
import { createS3Store, type S3Store } from '../../src/store/s3.ts';
import { startService } from '../server/support/hosted-service.ts';
import { toStream } from './blob-contents.ts';

const KEY = { env: 'dev', path: 'file' };

/** A store over S3 whose responses are those of the listener. */
async function storeOf(listener: RequestListener): Promise<S3Store> {
  const store = createS3Store({
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
  (call, response) => {
    call.resume();
    response.statusCode = status;
    const body = `<Error><Code>${code}</Code><Message>the-secret</Message></Error>`;
    response.end(call.method === 'HEAD' ? undefined : body);
  };

test.each([
  [500, 'InternalError'],
  [503, 'SlowDown'],
  [403, 'SignatureDoesNotMatch'],
  [404, 'NoSuchBucket'],
])('%i %s: reports the store as unavailable, without quoting it', async (status, code) => {
  const store = await storeOf(respond(status, code));
  const error = await store
    .write(KEY, toStream(Buffer.from('x')), { contentType: 'a/b' })
    .catch((reason) => reason);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error.message).toBe(`Cannot use the object store: ${code}, ${status}.`);
  expect(error.cause).toMatchObject({ name: code });
});

test('does not report our mistakes as failures of the store', async () => {
  const store = await storeOf(respond(400, 'InvalidArgument'));
  const write = store.write(KEY, toStream(Buffer.from('x')), { contentType: 'a/b' });
  await expect(write).rejects.toMatchObject({ name: 'InvalidArgument' });
});

test('ends an aborted call immediately, with the reason of the abort', async () => {
  const controller = new AbortController();
  const store = await storeOf((call) => {
    call.resume();
    controller.abort(new Error('given up'));
  });
  const options = { contentType: 'a/b', signal: controller.signal };
  await expect(store.write(KEY, toStream(Buffer.from('x')), options)).rejects.toThrow('given up');
});

test('refuses a copy beyond 5 GiB before it sends anything', async () => {
  const methods: (string | undefined)[] = [];
  const store = await storeOf((call, response) => {
    methods.push(call.method);
    response.writeHead(200, { 'content-length': 5 * 1024 ** 3 + 1, etag: '"1-2"' }).end();
  });
  const copy = store.copy(KEY, { env: 'dev', path: 'copy' }, { overwrite: true });
  await expect(copy).rejects.toBeInstanceOf(StoreFullError);
  expect(methods).toEqual(['HEAD']);
});

test('limits the memory of all stalled uploads together', async () => {
  const store = await storeOf((call, response) => {
    call.resume().once('end', () => response.setHeader('etag', '"1"').end());
  });
  const mebibyte = Buffer.alloc(1024 * 1024);
  const stalled: Promise<unknown>[] = [];
  const controller = new AbortController();
  // 4 MiB each: with one more they would be uploaded in parts.
  const stall = async () => {
    let count = 0;
    const stands = Promise.withResolvers<void>();
    const content = new Readable({
      highWaterMark: 1,
      read() {
        count += 1;
        if (count <= 4) this.push(mebibyte);
        else stands.resolve();
      },
    });
    const upload = store.write(KEY, content, { contentType: 'a/b', signal: controller.signal });
    stalled.push(upload.catch((error) => error));
    await Promise.race([stands.promise, upload]);
  };
  for (let index = 0; index < 32; index++) await stall();
  await expect(stall()).rejects.toThrow(StoreUnavailableError);
  controller.abort(new Error('given up'));
  await Promise.all(stalled);
  const content = new PassThrough().end('x');
  expect(await store.write(KEY, content, { contentType: 'a/b' })).toMatchObject({ size: 1 });
});
