import { createMemoryStore, type OpenBlob, StoreUnavailableError } from '@berth/storage';
import { expect, test } from 'vitest';
import { call, deploy, errorOf, grant, link, post, put, toFields } from './support/client.ts';

test('a failure of the store during an upload is reported', async () => {
  const full = new StoreUnavailableError('The disk is full.');
  const to = await deploy({ blobs: { ...createMemoryStore(), write: () => Promise.reject(full) } });
  const meta = await grant(to, 'a.txt');
  const response = await post(meta.url, toFields('a.txt', meta), 'hello');
  expect(response.headers.get('retry-after')).toBe('1');
  expect((await errorOf(response)).Code).toBe('ServiceUnavailable');
  expect(to.errors).toEqual([full]);
});

test.each(['ECONNRESET', 'EPIPE'])(
  'a failure of the store with the code of a disconnected client (%s) is reported',
  async (code) => {
    const reset = Object.assign(new Error('The backend is gone.'), { code });
    const to = await deploy({
      blobs: { ...createMemoryStore(), open: () => Promise.reject(reset) },
    });
    const response = await fetch(await link(to, await put(to, 'a.txt', 'hello')));
    expect((await errorOf(response)).Code).toBe('InternalError');
    expect(to.errors).toEqual([reset]);
  },
);

test('a failure of the store during a download is reported', async () => {
  const reset = Object.assign(new Error('The backend is gone.'), { code: 'ECONNRESET' });
  const blobs = createMemoryStore();
  async function* read() {
    yield new Uint8Array(1);
    throw reset;
  }
  const to = await deploy({
    blobs: { ...blobs, open: async (key) => ({ ...((await blobs.open(key)) as OpenBlob), read }) },
  });
  const address = await link(to, await put(to, 'a.txt', 'hello'));
  await expect(fetch(address).then((response) => response.text())).rejects.toThrow();
  expect(to.errors).toEqual([reset]);
});

test.each([
  [500, ['a', 'b']],
  [500, ['b', 'a']],
])(
  'a batch that fails completely reports each error, and has the status %i',
  async (status, order) => {
    const errors: Record<string, Error> = {
      a: new StoreUnavailableError('The disk is full.'),
      b: new Error('A bug.'),
    };
    const to = await deploy({
      blobs: { ...createMemoryStore(), delete: ({ path }) => Promise.reject(errors[path]) },
    });
    const fileList = order.map((path) => `cloud://dev.files/${path}`);
    const response = await call(to, 'batchDelete', { fileList });
    expect([response.status, response.code]).toEqual([status, 'SYS_ERR']);
    expect(to.errors).toEqual(order.map((path) => errors[path]));
  },
);
