import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { startScrub } from '../../src/blobs/scrub.ts';
import { readAll, toBytes, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

const TYPE = { contentType: 'a/b' };
/** Not in the order in which a disk lists them. */
const PATHS = ['z', 'a/b/c', 'a.txt', 'a', 'B'];
const STATE = { env: '-scrub', path: 'state' };

let root: string;
let store: BlobStore;

beforeEach(async () => {
  root = await useTempFolder();
  store = await createFileBlobStore({ root });
  for (const path of PATHS) await store.write({ env: 'dev', path }, toStream(toBytes(1000)), TYPE);
});

async function damage(path: string): Promise<void> {
  const file = await open(join(root, 'files', toDiskPath({ env: 'dev', path })), 'r+');
  await file.write('!', 500);
  await file.close();
}

interface Log {
  readonly found: string[];
  readonly passes: number[];
  readonly errors: unknown[];
}

/** Starts a process that reads all files, until the end of the test. */
function scrub(over: BlobStore = store, days = 1) {
  const log: Log = { found: [], passes: [], errors: [] };
  const stop = startScrub(over, {
    days,
    onDamage: (name) => log.found.push(name),
    onPass: ({ files }) => log.passes.push(files),
    onError: (error) => log.errors.push(error),
    times: { poll: 5, renewal: 0, settle: 5 },
  });
  onTestFinished(stop);
  return { ...log, stop };
}

/** A store that calls back before each file is read. */
const watch = (before: (name: string) => unknown): BlobStore => ({
  ...store,
  async *scan(after) {
    for await (const file of store.scan(after)) {
      await before(file.name);
      yield file;
    }
  },
});

test('reports damaged files once, and reads again only when it is time', async () => {
  await damage('a/b/c');
  await damage('z');
  const { found, passes, errors } = scrub();
  // With the file that stores the progress.
  await expect.poll(() => passes).toEqual([PATHS.length + 1]);
  expect(found).toEqual(['dev+/a+/b+/c', 'dev+/z']);
  const later = scrub();
  const often = scrub(store, 1e-9);
  await expect.poll(() => often.passes.length).toBeGreaterThan(1);
  expect([passes.length, later.passes.length, ...errors, ...often.errors]).toEqual([1, 0]);
});

test('continues where it was stopped, in the next process', async () => {
  const seen: string[] = [];
  const first = scrub(
    watch(async (name) => {
      seen.push(name);
      if (seen.length === 3) void first.stop();
    }),
  );
  await expect.poll(() => seen.length).toBe(3);
  await first.stop();
  const { passes } = scrub(watch((name) => void seen.push(name)));
  await expect.poll(() => passes).toEqual([PATHS.length + 1]);
  // The third file was not read to its end.
  expect(seen).toEqual([...seen.slice(0, 3), ...seen.slice(2, 3), ...seen.slice(4)]);
  expect(new Set(seen).size).toBe(seen.length - 1);
  expect(first.passes).toEqual([]);
});

test('one of several processes reads', async () => {
  const readers = new Set<number>();
  const gate = Promise.withResolvers<void>();
  const all = [0, 1, 2].map((index) =>
    scrub(
      watch(async () => {
        readers.add(index);
        await gate.promise;
      }),
    ),
  );
  await expect.poll(() => readers.size).toBeGreaterThan(0);
  gate.resolve();
  await expect.poll(() => all.flatMap(({ passes }) => passes)).toEqual([PATHS.length + 1]);
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
});

test('ends if another process has begun to read', async () => {
  const waiting = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const watched = watch(async () => {
    waiting.resolve();
    await gate.promise;
  });
  let lookups = 0;
  const lookup: BlobStore['open'] = (key) => {
    lookups += 1;
    return store.open(key);
  };
  const { passes, errors } = scrub({ ...watched, open: lookup });
  await waiting.promise;
  const state = JSON.parse(String(await readAll(store, STATE)));
  const taken = JSON.stringify({ ...state, owner: 'another', renewedAt: Date.now() });
  await store.write(STATE, toStream(Buffer.from(taken)), TYPE);
  lookups = 0;
  gate.resolve();
  await expect.poll(() => lookups).toBeGreaterThan(2);
  expect(String(await readAll(store, STATE))).toBe(taken);
  expect([passes, errors]).toEqual([[], []]);
});

test('tries again after the store was unavailable', async () => {
  let failures = 2;
  const { passes, errors } = scrub(
    watch(() => {
      if (failures-- > 0) throw new Error('away');
    }),
  );
  await expect.poll(() => passes).toEqual([PATHS.length + 1]);
  expect(errors).toHaveLength(2);
});
