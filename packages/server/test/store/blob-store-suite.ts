import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobExistsError, type BlobKey, BlobMissingError } from '@berth/storage';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerStore } from '../../src/store/server-store.ts';
import { createReader, readAll, toBrokenStream, toBytes, toStream } from './blob-contents.ts';
import { HARD_PATHS } from './unusual-paths.ts';

/** A store of one driver under test. */
export interface BlobStoreFixture {
  readonly store: ServerStore;
  /** Names of everything besides complete files: temporary files, unfinished uploads. */
  readonly leftovers: () => Promise<readonly string[]>;
  /** Leaves what a process leaves that is killed during an upload. */
  readonly leavePartialUpload: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

const TEXT = 'text/plain; charset=utf-8';
const PARALLEL = 8;
const MEBIBYTE = 1024 * 1024;
let lastKey = 0;

/** A key that no other test uses. */
function newKey(name = 'file'): BlobKey {
  lastKey++;
  return { env: 'dev', path: `suite-${lastKey}/${name}` };
}

/** Sweeps after the time in which others may still be uploading. */
export function sweepLater(store: ServerStore): Promise<number> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 24 * 3_600_000 });
  const swept = store.sweep();
  // A request to S3 with another date would be refused.
  vi.useRealTimers();
  return swept;
}

/**
 * What each driver must do. Run once for each. The conformance suite checks what the storage API says of copies and
 * moves.
 *
 * @example
 * describeBlobStore('disk', async () => ({ store, leftovers, leavePartialUpload, dispose }));
 */
export function describeBlobStore(name: string, create: () => Promise<BlobStoreFixture>): void {
  describe(`blob store: ${name}`, () => {
    let fixture: BlobStoreFixture;
    let store: ServerStore;

    beforeAll(async () => {
      fixture = await create();
      store = fixture.store;
    });
    afterAll(() => fixture?.dispose());

    const write = (key: BlobKey, bytes: Buffer, contentType = TEXT) =>
      store.write(key, toStream(bytes), { contentType });
    const expectNothingLeft = async () => expect(await fixture.leftovers()).toEqual([]);

    describe('writing and reading', () => {
      test('keeps files under unusual paths apart, and deletes each alone', async () => {
        const keys = HARD_PATHS.map((path) => ({ env: 'unusual-paths', path }));
        const contentOf = async (key: BlobKey) => (await readAll(store, key))?.toString();
        await Promise.all(keys.map((key) => write(key, Buffer.from(key.path))));
        expect(await Promise.all(keys.map(contentOf))).toEqual(HARD_PATHS);
        const isOdd = (_: unknown, index: number) => index % 2 === 1;
        const deleted = keys.filter(isOdd).map((key) => store.delete(key));
        expect(new Set(await Promise.all(deleted))).toEqual(new Set([true]));
        const left = HARD_PATHS.map((path, index) => (isOdd(path, index) ? undefined : path));
        expect(await Promise.all(keys.map(contentOf))).toEqual(left);
      });

      test('keeps environments apart', async () => {
        const { path } = newKey();
        await write({ env: 'one', path }, Buffer.from('1'));
        await write({ env: 'two', path }, Buffer.from('2'));
        expect((await readAll(store, { env: 'one', path }))?.toString()).toBe('1');
        expect((await readAll(store, { env: 'two', path }))?.toString()).toBe('2');
        expect(await store.stat({ env: 'three', path })).toBeUndefined();
      });

      test.each([0, 65_537, 8 * MEBIBYTE, 20 * MEBIBYTE + 7])('keeps %i bytes', async (size) => {
        const key = newKey();
        expect([await store.stat(key), await store.open(key)]).toEqual([undefined, undefined]);
        const bytes = toBytes(size, size);
        const written = await write(key, bytes);
        expect(written).toMatchObject({ size });
        expect(await store.stat(key)).toEqual(written);
        expect((await readAll(store, key))?.equals(bytes)).toBe(true);
      });

      test('frees the memory of stored chunks, unless another chunk shares it', async () => {
        const key = newKey();
        const [whole, shared] = [toBytes(100_000), toBytes(100_000, 2)];
        const expected = Buffer.concat([whole, shared]);
        const chunks = [whole, shared.subarray(0, 50_000), shared.subarray(50_000)];
        await store.write(key, Readable.from(chunks), { contentType: TEXT });
        expect((await readAll(store, key))?.equals(expected)).toBe(true);
        expect([whole.length, shared.length]).toEqual([0, 100_000]);
      });

      test('does not mistake a folder for a file', async () => {
        const key = newKey('folder/file');
        await write(key, Buffer.from('x'));
        const folder = { env: key.env, path: key.path.replace('/file', '') };
        expect(await store.stat(folder)).toBeUndefined();
        expect(await store.open(folder)).toBeUndefined();
        expect(await store.delete(folder)).toBe(false);
        expect(await store.stat(key)).toBeDefined();
      });
    });

    describe('ranges', () => {
      const bytes = toBytes(3 * MEBIBYTE + 11);
      const key = newKey();
      beforeAll(() => write(key, bytes));

      test.each([
        [0, 0],
        [MEBIBYTE - 1, MEBIBYTE + 1],
        [bytes.length - 1, bytes.length - 1],
        [0, bytes.length - 1],
      ])('reads bytes %i to %i', async (start, end) => {
        const part = await readAll(store, key, { start, end });
        expect(part?.equals(bytes.subarray(start, end + 1))).toBe(true);
        const { reader, bytesOf } = createReader();
        await (await store.open(key))?.sendTo(reader, { start, end });
        expect((await bytesOf()).equals(bytes.subarray(start, end + 1))).toBe(true);
      });

      test('sends every byte unchanged to a reader that pauses', async () => {
        let pauses = 0;
        const { reader, bytesOf } = createReader(async () => {
          pauses += 1;
          // Long enough for a sender without backpressure to read on.
          if (pauses < 4) await readAll(store, key);
        });
        await (await store.open(key))?.sendTo(reader);
        expect((await bytesOf()).equals(bytes)).toBe(true);
      });

      test('reports a reader that disconnects halfway, and survives it', async () => {
        const reader = new Writable({ write: () => reader.destroy() });
        await expect((await store.open(key))?.sendTo(reader)).rejects.toThrow();
        expect((await readAll(store, key))?.equals(bytes)).toBe(true);
      });

      test('survives a stream that is abandoned halfway', async () => {
        const stream = (await store.open(key))?.read();
        const closed = new Promise((resolve) => stream?.once('close', resolve));
        stream?.once('data', () => stream.destroy());
        await closed;
        expect((await readAll(store, key))?.equals(bytes)).toBe(true);
      });
    });

    describe('overwriting', () => {
      test('replaces content, content type and ETag', async () => {
        const key = newKey();
        const { etag } = await write(key, Buffer.from('old'), 'text/old');
        await write(key, Buffer.from('newer'), 'text/new');
        const info = await store.stat(key);
        expect(info).toMatchObject({ size: 5, contentType: 'text/new' });
        expect(info?.etag).not.toBe(etag);
        expect((await readAll(store, key))?.toString()).toBe('newer');
      });

      test('keeps reading the old file once it is open', async () => {
        const key = newKey();
        const old = toBytes(12 * MEBIBYTE, 1);
        await write(key, old);
        const blob = await store.open(key);
        await write(key, Buffer.from('new'));
        expect(blob && (await buffer(blob.read())).equals(old)).toBe(true);
        expect((await readAll(store, key))?.toString()).toBe('new');
      });
    });

    describe('leaves nothing of failed writes', () => {
      const bytes = toBytes(2 * MEBIBYTE);

      /** Writes over an old file and to a new key; both must fail and change nothing. */
      async function expectNoTrace(content: () => Readable, signal?: AbortSignal): Promise<void> {
        const [old, none] = [newKey(), newKey()];
        await write(old, Buffer.from('old'));
        const options = { contentType: TEXT, ...(signal && { signal }) };
        await expect(store.write(old, content(), options)).rejects.toThrow();
        await expect(store.write(none, content(), options)).rejects.toThrow();
        expect((await readAll(store, old))?.toString()).toBe('old');
        expect(await store.stat(none)).toBeUndefined();
        await expectNothingLeft();
      }

      test('an abort halfway', async () => {
        const controller = new AbortController();
        await expectNoTrace(
          () => toBrokenStream(bytes, () => controller.abort()),
          controller.signal,
        );
      });

      test('an abort before the start', () =>
        expectNoTrace(() => toStream(bytes), AbortSignal.abort()));

      test.each([2, 20])('a source that fails after %i MiB', (mebibytes) => {
        const part = toBytes(mebibytes * MEBIBYTE);
        return expectNoTrace(() => toBrokenStream(part, (it) => it.destroy(new Error('torn'))));
      });

      test('a source that closes without ending', () =>
        expectNoTrace(() => toBrokenStream(bytes, (stream) => stream.destroy())));
    });

    describe('copying', () => {
      test.each([true, false])('copies to a new key, overwrite %j', async (overwrite) => {
        const [from, to] = [newKey('a'), newKey('b')];
        const source = await write(from, toBytes(1000), 'text/special');
        const copied = await store.copy(from, to, { overwrite });
        const same = { size: 1000, etag: source.etag, contentType: 'text/special' };
        expect(copied).toMatchObject(same);
        expect(await store.stat(to)).toEqual(copied);
        expect(await readAll(store, to)).toEqual(toBytes(1000));
        expect(await store.stat(from)).toMatchObject(same);
      });

      test('lets one of several parallel copies without overwriting win', async () => {
        const to = newKey('destination');
        const sources = Array.from({ length: PARALLEL }, (_, index) => newKey(`source-${index}`));
        await Promise.all(sources.map((key) => write(key, Buffer.from(key.path))));
        const copies = await Promise.allSettled(
          sources.map((from) => store.copy(from, to, { overwrite: false })),
        );
        const winners = copies.flatMap(({ status }, index) =>
          status === 'fulfilled' ? [sources[index]?.path] : [],
        );
        expect(winners).toHaveLength(1);
        for (const copy of copies) {
          if (copy.status === 'rejected') expect(copy.reason).toBeInstanceOf(BlobExistsError);
        }
        expect((await readAll(store, to))?.toString()).toBe(winners[0]);
        await expectNothingLeft();
      });
    });

    describe.each([true, false])('moving, overwrite %j', (overwrite) => {
      const move = { overwrite, move: true };

      test('takes a file to a new key', async () => {
        const size = overwrite ? 12 * MEBIBYTE : 1000;
        const [from, to] = [newKey('a'), newKey('b')];
        const written = await write(from, toBytes(size), 'text/special');
        expect(await store.copy(from, to, move)).toMatchObject(written);
        expect(await store.stat(from)).toBeUndefined();
        expect((await readAll(store, to))?.equals(toBytes(size))).toBe(true);
        expect((await store.stat(to))?.contentType).toBe('text/special');
        await expectNothingLeft();
      });

      test('lets one of several parallel moves succeed', async () => {
        const from = newKey('from');
        await write(from, Buffer.from('x'));
        const places = Array.from({ length: PARALLEL }, (_, index) => newKey(`place-${index}`));
        const moves = await Promise.allSettled(places.map((to) => store.copy(from, to, move)));
        for (const moved of moves) {
          if (moved.status === 'rejected') expect(moved.reason).toBeInstanceOf(BlobMissingError);
        }
        const found = await Promise.all(places.map((place) => store.stat(place)));
        expect(found.map((info) => info !== undefined)).toEqual(
          moves.map(({ status }) => status === 'fulfilled'),
        );
        expect(found.filter((info) => info !== undefined)).toHaveLength(1);
        expect(await store.stat(from)).toBeUndefined();
        await expectNothingLeft();
      });
    });

    test('serialises opposite moves', async () => {
      const [one, other] = [newKey('a'), newKey('b')];
      await Promise.all([write(one, Buffer.from('1')), write(other, Buffer.from('2'))]);
      const move = { overwrite: true, move: true };
      await Promise.allSettled([store.copy(one, other, move), store.copy(other, one, move)]);
      const left = await Promise.all([readAll(store, one), readAll(store, other)]);
      expect(left.filter((bytes) => bytes !== undefined)).toHaveLength(1);
    });

    test('reports one success for parallel deletions of a file', async () => {
      const key = newKey();
      await write(key, Buffer.from('x'));
      const found = await Promise.all(Array.from({ length: PARALLEL }, () => store.delete(key)));
      expect(found.filter(Boolean)).toHaveLength(1);
      expect(await store.stat(key)).toBeUndefined();
    });

    describe('keeping order', () => {
      test('sweeps leftovers of failed uploads, and nothing else', async () => {
        const key = newKey();
        await write(key, Buffer.from('x'));
        await fixture.leavePartialUpload();
        expect(await fixture.leftovers()).not.toEqual([]);
        expect(await sweepLater(store)).toBe(1);
        await expectNothingLeft();
        expect((await readAll(store, key))?.toString()).toBe('x');
      });

      test('never sweeps an upload in progress', async () => {
        const key = newKey();
        const bytes = toBytes(12 * MEBIBYTE);
        const content = toBrokenStream(bytes, (stream) => {
          sweepLater(store).then(
            () => stream.push(null),
            (error) => stream.destroy(error),
          );
        });
        await store.write(key, content, { contentType: TEXT });
        expect((await readAll(store, key))?.equals(bytes)).toBe(true);
        await expectNothingLeft();
      });
    });
  });
}
