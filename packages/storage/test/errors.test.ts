import { Readable } from 'node:stream';
import {
  BlobDamagedError,
  BlobExistsError,
  type BlobStore,
  createMemoryStore,
  type OpenBlob,
  StoreUnavailableError,
} from '@berth/storage';
import { expect, test } from 'vitest';
import { call, deploy, errorOf, grant, link, post, put, toFields } from './support/client.ts';

test.each([
  [new StoreUnavailableError('The disk is full.'), 'ServiceUnavailable', '1'],
  // No store may throw it for an upload, which always replaces.
  [new BlobExistsError({ env: 'dev', path: 'a.txt' }), 'InternalError', null],
])('a failure of the store during an upload is reported: %s', async (failure, code, retryAfter) => {
  const write = () => Promise.reject(failure);
  const to = await deploy({ blobs: { ...createMemoryStore(), write } });
  const meta = await grant(to, 'a.txt');
  const response = await post(meta.url, toFields('a.txt', meta), 'hello');
  expect(response.headers.get('retry-after')).toBe(retryAfter);
  expect((await errorOf(response)).Code).toBe(code);
  expect(to.errors).toEqual([failure]);
});

/** As if the client had disconnected. */
const reset = Object.assign(new Error('The backend is gone.'), { code: 'ECONNRESET' });

test('a failure of the store before a download is reported', async () => {
  const to = await deploy({ blobs: { ...createMemoryStore(), open: () => Promise.reject(reset) } });
  const response = await fetch(await link(to, await put(to, 'a.txt', 'hello')));
  expect((await errorOf(response)).Code).toBe('InternalError');
  expect(to.errors).toEqual([reset]);
});

/** A server whose store opens files with these methods, and the address of a file. */
async function deployWith(methods: Partial<OpenBlob>) {
  const store = createMemoryStore();
  const open: BlobStore['open'] = async (key) => ({
    ...((await store.open(key)) as OpenBlob),
    ...methods,
  });
  const to = await deploy({ blobs: { ...store, open } });
  return { ...to, address: await link(to, await put(to, 'a.txt', 'hello')) };
}

test('a failure of the store during a download is reported', async () => {
  async function* read() {
    yield new Uint8Array(1);
    throw reset;
  }
  const { address, errors } = await deployWith({ read });
  await expect(fetch(address).then((response) => response.text())).rejects.toThrow();
  expect(errors).toEqual([reset]);
});

const gone = new StoreUnavailableError('Gone.');
const failing = () => Promise.reject(gone);

test.each<[string, Partial<OpenBlob>]>([
  ['sendTo', { sendTo: failing }],
  ['an iterable', { read: () => ({ [Symbol.asyncIterator]: () => ({ next: failing }) }) }],
  [
    'a Node.js stream',
    {
      read: () =>
        new Readable({
          read() {
            this.destroy(gone);
          },
        }),
    },
  ],
])('%s that fails before the first byte leaves no headers of the file', async (_, methods) => {
  const { address, errors } = await deployWith(methods);
  const response = await fetch(address, { headers: { range: 'bytes=1-' } });
  const sent = ['content-range', 'etag'].map((name) => response.headers.get(name));
  expect([response.status, ...sent]).toEqual([503, null, null]);
  expect((await errorOf(response)).Code).toBe('ServiceUnavailable');
  expect(errors).toEqual([gone]);
});

const ERRORS: Readonly<Record<string, Error>> = {
  a: new StoreUnavailableError('The disk is full.'),
  b: new Error('A bug.'),
  c: new BlobDamagedError('The checksum is wrong.'),
};

test.each([
  ['a', 503, 'SERVICE_UNAVAILABLE', 'Storage is unavailable.'],
  ['ab', 500, 'SYS_ERR', 'The call failed. Try again, or report the request ID to the operator.'],
  ['ba', 500, 'SYS_ERR', 'The call failed. Try again, or report the request ID to the operator.'],
  ['c', 500, 'SYS_ERR', 'The file is damaged. Report the request ID to the operator.'],
  ['ac', 500, 'SYS_ERR', 'The file is damaged. Report the request ID to the operator.'],
])('a batch that fails for all items reports each error (%s)', async (paths, ...expected) => {
  const deleteFile: BlobStore['delete'] = ({ path }) => Promise.reject(ERRORS[path]);
  const to = await deploy({ blobs: { ...createMemoryStore(), delete: deleteFile } });
  const fileList = [...paths].map((path) => `cloud://dev.files/${path}`);
  const { status, code, message } = await call(to, 'batchDelete', { fileList });
  expect([status, code, message]).toEqual(expected);
  expect(to.errors).toEqual([...paths].map((path) => ERRORS[path]));
});
