import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { BlobKey, ByteRange } from '@berth/storage';
import type { WithLocks } from '../../src/store/locks.ts';
import type { ServerStore } from '../../src/store/server-store.ts';

/** Locks for several stores of this process, which its own locks already keep apart. */
export const NO_LOCKS: WithLocks = (_names, work) => work();

const CHUNK_BYTES = 64 * 1024;

/** Bytes that differ everywhere, and between seeds. */
export function toBytes(size: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = seed * 2_654_435_761 + 1;
  for (let index = 0; index < words.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, size);
}

/** The bytes as they come from a socket: in chunks, each on demand. */
export const toStream = (bytes: Buffer) => toBrokenStream(bytes, (stream) => stream.push(null));

/** Yields the bytes, and calls `then` instead of ending. */
export function toBrokenStream(bytes: Buffer, then: (stream: Readable) => void): Readable {
  let at = 0;
  return new Readable({
    read() {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES);
      at += chunk.length;
      if (chunk.length > 0) this.push(chunk);
      else then(this);
    },
  });
}

export async function readAll(store: ServerStore, key: BlobKey, range?: ByteRange) {
  const blob = await store.open(key);
  return blob && (await buffer(blob.read(range)));
}

/**
 * A stream that consumes bytes like a socket: it no longer needs them after its callback.
 *
 * @param delay what it waits for before it consumes a chunk
 */
export function createReader(delay = async () => {}) {
  const chunks: Buffer[] = [];
  const reader = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      delay().then(() => {
        chunks.push(Buffer.from(chunk));
        callback();
      }, callback);
    },
  });
  const isDone = finished(reader);
  return { reader, bytesOf: () => isDone.then(() => Buffer.concat(chunks)) };
}
