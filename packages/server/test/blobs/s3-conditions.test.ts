import { startStopwatch } from '@berth/scripts/stopwatch';
import { describe, expect, test, vi } from 'vitest';
import {
  BlobExistsError,
  BlobMissingError,
  StoreUnavailableError,
} from '../../src/blobs/blob-store.ts';
import { readAll, toStream } from './blob-contents.ts';
import { ALL, startFakeS3, storeOf } from './fake-s3.ts';

// The stores of this file share no locks within the process, as if each had a process of its own.
vi.mock('../../src/blobs/key-locks.ts', () => ({
  withLocks: (_names: readonly string[], work: () => Promise<unknown>) => work(),
}));

const from = { env: 'dev', path: 'from' };
const to = { env: 'dev', path: 'to' };

const write = (store: Awaited<ReturnType<Fake['open']>>, key: typeof from, text: string) =>
  store.write(key, toStream(Buffer.from(text)), { contentType: 'text/plain' });

type Fake = Awaited<ReturnType<typeof startFakeS3>>;

/** Two processes on a store that honours every condition. */
async function openTwo() {
  const fake = await startFakeS3();
  const stores = [await fake.open(), await fake.open()] as const;
  for (const store of stores) await store.probe();
  fake.calls.length = 0;
  /** Calls back once, before the store is asked to do this. */
  const beforeOne = (name: string, key: string, act: () => Promise<unknown>) => {
    fake.hooks.before = async (call, object) => {
      if (call !== name || !object.endsWith(`/${key}`)) return;
      fake.hooks.before = undefined;
      await act();
    };
  };
  return { fake, one: stores[0], other: stores[1], beforeOne };
}

describe('the probe', () => {
  const sets = [
    [],
    ...ALL.map((each) => [each]),
    ALL.filter((each) => !each.startsWith('DELETE')),
    ALL,
  ];

  test.each(sets.map((honoured) => ({ honoured })))('finds $honoured', async ({ honoured }) => {
    for (const refuses of [false, true]) {
      const fake = await startFakeS3({ honoured, refuses });
      const found = await (await fake.open({ prefix: 'a b/' })).probe();
      const expected = Object.fromEntries(ALL.map((each) => [each, honoured.includes(each)]));
      expect(found).toEqual(expected);
      expect([...fake.objects.keys()]).toEqual([]);
      expect(fake.calls.length).toBeLessThanOrEqual(11);
    }
  });

  test('gives up soon if the store never responds', async () => {
    const store = await storeOf(() => {});
    const time = startStopwatch();
    await expect(store.probe()).rejects.toThrow(StoreUnavailableError);
    expect(time()).toBeLessThan(6_000);
  });
});

describe('without locks, on a store that honours every condition', () => {
  test('uploads and copies take no shared lock; moves and deletions do', async () => {
    const fake = await startFakeS3();
    const locked: (readonly string[])[] = [];
    const store = await fake.open({
      withSharedLocks: (names, work) => {
        locked.push(names);
        return work();
      },
    });
    await write(store, from, 'x');
    expect(locked.splice(0)).toEqual([['s3://files/dev/from']]);
    await store.probe();
    await write(store, from, 'x');
    await store.copy(from, to, { overwrite: true });
    await store.copy(from, { env: 'dev', path: 'new' }, { overwrite: false });
    expect(locked).toEqual([]);
    await store.copy(from, to, { overwrite: true, move: true });
    await store.delete(to);
    expect(locked).toEqual([['s3://files/dev/from', 's3://files/dev/to'], ['s3://files/dev/to']]);
  });

  test('a store that was unavailable at the start is probed with the next sweep', async () => {
    const fake = await startFakeS3();
    const store = await fake.open({
      withSharedLocks: () => Promise.reject(new Error('locked')),
    });
    fake.hooks.before = () => Promise.reject(new Error('away'));
    await expect(store.probe()).rejects.toThrow(StoreUnavailableError);
    fake.hooks.before = undefined;
    await expect(write(store, from, 'x')).rejects.toThrow('locked');
    // The fake cannot list what a sweep looks for.
    await store.sweep().catch(() => {});
    await write(store, from, 'x');
  });

  test('only one of two deletions finds a file', async () => {
    const { one, other, beforeOne } = await openTwo();
    await write(one, from, 'x');
    let second: boolean | undefined;
    beforeOne('DELETE', 'from', async () => {
      second = await other.delete(from);
    });
    expect([await one.delete(from), second]).toEqual([false, true]);
  });

  test('a deletion removes the version that it finds last', async () => {
    const { one, other, beforeOne } = await openTwo();
    await write(one, from, 'old');
    beforeOne('DELETE', 'from', () => write(other, from, 'new'));
    expect(await one.delete(from)).toBe(true);
    expect(await one.stat(from)).toBeUndefined();
  });

  test.each([true, false])(
    'a move keeps what was uploaded meanwhile, overwrite %j',
    async (overwrite) => {
      const { one, other, beforeOne } = await openTwo();
      await write(one, from, 'old');
      beforeOne('DELETE', 'from', () => write(other, from, 'new'));
      await one.copy(from, to, { overwrite, move: true });
      expect(String(await readAll(one, from))).toBe('new');
      expect(String(await readAll(one, to))).toBe('old');
    },
  );

  test('of two moves without overwriting to different places, one succeeds', async () => {
    const { fake, one, other, beforeOne } = await openTwo();
    await write(one, from, 'x');
    const second = { env: 'dev', path: 'second' };
    beforeOne('DELETE', 'from', () => other.copy(from, second, { overwrite: false, move: true }));
    const move = one.copy(from, to, { overwrite: false, move: true });
    await expect(move).rejects.toThrow(BlobMissingError);
    expect([...fake.objects.keys()]).toEqual(['dev/second']);
  });

  test('a copy that must not overwrite stays inside the store, and replaces nothing', async () => {
    const { fake, one, other, beforeOne } = await openTwo();
    await write(one, from, 'x');
    await one.copy(from, { env: 'dev', path: 'first' }, { overwrite: false });
    expect(fake.calls).toEqual(['PUT', 'HEAD', 'HEAD', 'COPY']);
    beforeOne('COPY', 'to', () => write(other, to, 'other'));
    await expect(one.copy(from, to, { overwrite: false })).rejects.toThrow(BlobExistsError);
    expect(String(await readAll(one, to))).toBe('other');
  });

  test('a copy takes one version, even if its source is replaced meanwhile', async () => {
    const { one, other, beforeOne } = await openTwo();
    await write(one, from, 'old');
    let etag: string | undefined;
    beforeOne('COPY', 'to', async () => {
      etag = (await write(other, from, 'new')).etag;
    });
    expect((await one.copy(from, to, { overwrite: false })).etag).toBe(etag);
    expect(String(await readAll(one, to))).toBe('new');
  });
});

describe('on a store without conditions', () => {
  test.each([true, false])('every change works, refusing them %j', async (refuses) => {
    const fake = await startFakeS3({ honoured: [], refuses });
    const locked: (readonly string[])[] = [];
    const store = await fake.open({
      withSharedLocks: (names, work) => {
        locked.push(names);
        return work();
      },
    });
    await store.probe();
    await write(store, from, 'x');
    await store.copy(from, to, { overwrite: false });
    await expect(store.copy(from, to, { overwrite: false })).rejects.toThrow(BlobExistsError);
    const both = ['s3://files/dev/to', 's3://files/dev/from'];
    expect(locked).toEqual([['s3://files/dev/from'], both, both]);
    await store.copy(from, to, { overwrite: true, move: true });
    expect(await store.delete(to)).toBe(true);
    expect(await store.delete(to)).toBe(false);
  });
});
