import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { type BlobStore, StoreUnavailableError } from '../../src/store/blob-store.ts';
import { createS3Store } from '../../src/store/s3.ts';
import { readAll, toBytes, toStream } from '../store/blob-contents.ts';
import { newBucket, useCeph } from './support/use-ceph.ts';

const TYPE = { contentType: 'a/b' };
const FILES = 5;

const bytes = toBytes(10_000_000);
const keyOf = (index: number) => ({ env: 'dev', path: `files/${index}` });

function writeAll(store: BlobStore, from: number) {
  return Promise.all(
    Array.from({ length: FILES }, (_, index) => {
      const content = toStream(Buffer.from(`content ${from + index}`));
      return store.write(keyOf(from + index), content, TYPE);
    }),
  );
}

async function expectAll(store: BlobStore, from: number) {
  for (let index = from; index < from + FILES; index++) {
    expect((await readAll(store, keyOf(index)))?.toString()).toBe(`content ${index}`);
  }
}

describeOn('ceph', 'a store', () => {
  test('is unavailable without its gateway, and recovers without a restart', async () => {
    const options = await newBucket((await useCeph()).endpoint);
    const gateway = await startForwarder(options.endpoint ?? '');
    const store = createS3Store({ ...options, endpoint: gateway.endpoint });
    onTestFinished(() => store.close());
    await writeAll(store, 0);
    await gateway.stop();
    const key = keyOf(0);
    const calls = [
      store.check(),
      store.stat(key),
      store.open(key),
      store.delete(key),
      store.write(key, toStream(Buffer.from('new')), TYPE),
      store.write(key, toStream(bytes), TYPE),
      store.copy(key, keyOf(1), { overwrite: true }),
      store.copy(key, keyOf(1000), { overwrite: false }),
      store.sweep(new Date()),
    ];
    for (const result of await Promise.allSettled(calls)) {
      const error = result.status === 'rejected' ? result.reason : undefined;
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error.message).toContain('ECONNREFUSED');
    }

    await gateway.start();
    await store.check();
    await expectAll(store, 0);
    await writeAll(store, 0);
  });
});

/** Forwards connections to a store, and refuses them while it is stopped. */
async function startForwarder(to: string) {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
      one.pipe(other);
    }
  });
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server.close(), 'close');
  };
  const start = async (on: number) => {
    await once(server.listen(on, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const own = await start(0);
  onTestFinished(stop);
  return { endpoint: `http://127.0.0.1:${own}`, stop, start: () => start(own) };
}
