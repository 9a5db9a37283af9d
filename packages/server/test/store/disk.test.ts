import { lstat, mkdir, mkdtemp, readdir, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StoreUnavailableError } from '@berth/storage';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDiskStore } from '../../src/store/disk/disk-store.ts';
import { fsck } from '../../src/store/disk/fsck.ts';
import { identifyProcess } from '../../src/store/disk/owners.ts';
import type { WithLocks } from '../../src/store/locks.ts';
import type { ServerStore } from '../../src/store/server-store.ts';
import { startDevelopment } from '../server/support/cli.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { NO_LOCKS, readAll, toBrokenStream, toBytes, toStream } from './blob-contents.ts';
import { describeBlobStore } from './blob-store-suite.ts';

const KEY = { env: 'dev', path: 'a' };
const TYPE = { contentType: 'a/b' };

describeBlobStore('disk', async () => {
  const root = await mkdtemp(join(tmpdir(), 'berth-blobs-'));
  return {
    store: await openDiskStore({ root }),
    leftovers: () => readdir(join(root, 'tmp')),
    leavePartialUpload: () => writeFile(join(root, 'tmp', 'litter'), 'half of a file'),
    dispose: () => rm(root, { recursive: true }),
  };
});

const write = (store: ServerStore, content: string, key = KEY) =>
  store.write(key, toStream(Buffer.from(content)), TYPE);

const openShared = (root: string) => openDiskStore({ root, sharedLocks: NO_LOCKS });

test('an upload whose caller disconnects while it waits for a lock is not stored', async () => {
  const caller = new AbortController();
  const root = await makeFolder();
  const sharedLocks: WithLocks = (_names, work) => {
    caller.abort(new Error('gone'));
    return work();
  };
  const store = await openDiskStore({ root, sharedLocks });
  const upload = store.write(KEY, toStream(toBytes(9)), { ...TYPE, signal: caller.signal });
  await expect(upload).rejects.toThrow('gone');
  expect(await readAll(store, KEY)).toBeUndefined();
});

test('is unavailable after another program removed a folder, and creates one of files again', async () => {
  const root = await makeFolder();
  const store = await openDiskStore({ root });
  await write(store, 'old');
  const other = { env: 'dev', path: 'b' };
  await rm(join(root, 'tmp'), { recursive: true });
  const copy = store.copy(KEY, other, { overwrite: true });
  await expect(copy).rejects.toThrow(StoreUnavailableError);
  await mkdir(join(root, 'tmp'));
  await rm(join(root, 'files', 'dev'), { recursive: true });
  await expect(write(store, 'first', other)).rejects.toThrow(StoreUnavailableError);
  await write(store, 'second', other);
  expect(String(await readAll(store, other))).toBe('second');
});

const LOST = new StoreUnavailableError('lost');

const throwLost = () => {
  throw LOST;
};

test.each<[string, WithLocks]>([
  ['is lost', (_names, work) => work({ signal: AbortSignal.abort(LOST), assertHeld: throwLost })],
  ['cannot be acquired', () => Promise.reject(new StoreUnavailableError('no Redis'))],
])('changes nothing while a lock %s, and recovers', async (_, failing) => {
  const to = { env: 'dev', path: 'b' };
  let locks = NO_LOCKS;
  const root = await makeFolder();
  const store = await openDiskStore({ root, sharedLocks: (names, work) => locks(names, work) });
  await write(store, 'old');
  await write(store, 'other', to);
  locks = failing;
  const changes = [
    () => write(store, 'new'),
    () => store.copy(KEY, to, { overwrite: true }),
    () => store.copy(KEY, to, { overwrite: true, move: true }),
    () => store.delete(to),
  ];
  for (const change of changes) await expect(change()).rejects.toThrow(StoreUnavailableError);
  expect((await readAll(store, KEY))?.toString()).toBe('old');
  expect((await readAll(store, to))?.toString()).toBe('other');
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
  locks = NO_LOCKS;
  for (const change of changes) await change();
  await store.close();
});

async function sweepAfter(store: ServerStore, hours: number): Promise<number> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
  return store.sweep().finally(vi.useRealTimers);
}

test('a sweep keeps what other living processes write, until a day has passed without a write', async () => {
  const root = await makeFolder();
  const [store, other] = [await openShared(root), await openShared(root)];
  const counts: number[] = [];
  const content = toBrokenStream(toBytes(1000), async (stream) => {
    counts.push(await sweepAfter(other, 23), await sweepAfter(other, 25));
    stream.push(null);
  });
  await expect(store.write(KEY, content, TYPE)).rejects.toThrow(StoreUnavailableError);
  expect(counts).toEqual([0, 1]);
  expect(await store.stat(KEY)).toBeUndefined();
  await write(store, 'again');
});

/** A store with the claim of a process, whose clock is ahead by so many seconds. */
async function useStore(ahead: number, ...owner: (string | number)[]) {
  const root = await makeFolder();
  await mkdir(join(root, 'owners'));
  const file = join(root, 'owners', owner.join('.'));
  await writeFile(file, '');
  const renew = (later = 0) => {
    const time = Date.now() / 1000 + ahead + later;
    return utimes(file, time, time);
  };
  await renew();
  return { root, file, renew };
}

const { place: PLACE } = await identifyProcess();
/** This process has the same ID as one in another container with the same host name. */
const IN_CONTAINER = ['alone', process.pid, Date.now(), 'id', 'container', hostname()] as const;

/** As if so many milliseconds had passed, in which this process was suspended. */
function skip(milliseconds: number): void {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + milliseconds);
}

test('refuses the store of a running process, and takes that of a killed one', async () => {
  const folder = await makeFolder();
  const root = join(folder, 'files');
  const { cli } = await startDevelopment(folder, '--data', '.');
  const owner = `Process ${cli.child.pid} on ${hostname()}`;
  await expect(openDiskStore({ root })).rejects.toThrow(owner);
  await expect(openShared(root)).rejects.toThrow(owner);
  cli.child.kill('SIGKILL');
  await cli.finish();
  const store = await openDiskStore({ root });
  expect(await readdir(join(root, 'owners'))).toHaveLength(1);
  await store.close();
  expect(await readdir(join(root, 'owners'))).toEqual([]);
});

/** IDs that other processes get, once theirs have exited. */
const USED_AGAIN = process.platform === 'linux' ? [process.pid, process.ppid] : [process.pid];

test.each(USED_AGAIN)('takes over the claim of an exited process %i', async (pid) => {
  const { root } = await useStore(0, 'alone', pid, 1, 'id', PLACE, hostname());
  const others = ['.DS_Store', 'notes..txt'];
  for (const other of others) await writeFile(join(root, 'owners', other), '');
  const store = await openDiskStore({ root });
  await expect(openDiskStore({ root })).rejects.toThrow(`Process ${process.pid}`);
  await store.close();
  expect(await readdir(join(root, 'owners'))).toEqual(others);
});

describe.each([-3600, 0, 3600])('a container with the same host name, %i s ahead', (ahead) => {
  test('refuses its store while it is running', async () => {
    const { root, renew } = await useStore(ahead, ...IN_CONTAINER);
    const opened = openDiskStore({ root, onWait: () => void renew(1) });
    await expect(opened).rejects.toThrow(`Process ${process.pid} on ${hostname()} uses the store`);
    expect(await readdir(join(root, 'owners'))).toEqual([IN_CONTAINER.join('.')]);
  });

  test('takes its store once it is killed', async () => {
    const { root } = await useStore(ahead, ...IN_CONTAINER);
    const onWait = vi.fn(() => skip(15_000));
    await (await openDiskStore({ root, onWait })).close();
    expect(onWait).toHaveBeenCalledTimes(1);
    expect(await readdir(join(root, 'owners'))).toEqual([]);
  });
});

test.each<[string, (owners: string) => unknown]>([
  ['another has removed its claim', (owners) => rm(owners, { recursive: true })],
  ['others may presume that it has exited', () => skip(10_001)],
])('changes nothing once %s, until no other uses the store', async (_, lose) => {
  const root = await makeFolder();
  const store = await openDiskStore({ root });
  await write(store, 'old');
  const owners = join(root, 'owners');
  await lose(owners);
  await mkdir(owners, { recursive: true });
  const claim = join(owners, IN_CONTAINER.join('.'));
  await writeFile(claim, '');
  await writeFile(join(root, 'tmp', 'other'), 'half of a file');
  // A look that fails is repeated: here, it cannot remove the claim of an exited process.
  const exited = join(owners, `alone.${process.pid}.1.id.${PLACE}.${hostname()}`);
  await mkdir(exited);
  await expect(store.sweep()).rejects.toThrow();
  await rmdir(exited);
  await expect(write(store, 'new')).rejects.toThrow(StoreUnavailableError);
  await expect(store.check()).rejects.toThrow('uses the store');
  await expect(store.sweep()).rejects.toThrow(`remove ${claim}`);
  expect(await readdir(join(root, 'tmp'))).toEqual(['other']);
  await rm(claim);
  expect(await store.sweep()).toBe(1);
  await write(store, 'new');
});

test('rejects a key with an invalid environment, and throws nothing', async () => {
  const store = await openDiskStore({ root: await makeFolder() });
  const key = { env: '../dev', path: 'a' };
  for (const change of [() => write(store, 'a', key), () => store.delete(key)])
    await expect(change()).rejects.toThrow(TypeError);
});

test.each(['alone', 'shared'])('refuses the store of another machine (%s)', async (ownership) => {
  const { root, file } = await useStore(0, ownership, 1, Date.now(), 'id', PLACE, 'else.where');
  await writeFile(`${file}.other`, '');
  const refused = openDiskStore({ root });
  for (const path of [file, `${file}.other`])
    await expect(refused).rejects.toThrow(`remove ${path}.`);
});

test('a process on another machine that shares the store has exited if it is silent for a day', async () => {
  const { root, file } = await useStore(0, 'shared', 1, Date.now(), 'id', PLACE, 'else.where');
  const store = await openShared(root);
  const owners = join(root, 'owners');
  const [own = ''] = (await readdir(owners)).filter((name) => name !== basename(file));
  await sweepAfter(store, 23);
  expect(await readdir(owners)).toHaveLength(2);
  // It has renewed its own claim.
  expect((await lstat(join(owners, own))).mtimeMs).toBeGreaterThan(Date.now());
  // Another process has taken this one for exited, because it was suspended.
  await rm(join(owners, own));
  const alone = `alone.1.1.id.${PLACE}.else.where`;
  await writeFile(join(owners, alone), '');
  for (let time = 0; time < 2; time += 1) {
    await expect(sweepAfter(store, 25)).rejects.toThrow(`remove ${join(owners, alone)}`);
    skip(15_000);
  }
  expect((await readdir(owners)).sort()).toEqual([alone, own]);
});

test('a closed store changes nothing, and does not claim its folder again', async () => {
  const root = await makeFolder();
  const store = await openShared(root);
  await store.close();
  await expect(store.sweep()).rejects.toThrow('closed');
  await expect(write(store, 'new')).rejects.toThrow('closed');
  expect(await readdir(join(root, 'owners'))).toEqual([]);
});

test('processes that share locks share a store, which nobody repairs meanwhile', async () => {
  const root = await makeFolder();
  const stores = [await openShared(root), await openShared(root)];
  await expect(openDiskStore({ root })).rejects.toThrow('share Redis');
  const repair = fsck(root, { repair: true, onProblem() {} });
  await expect(repair).rejects.toThrow('uses the store');
  for (const store of stores) await store.close();
  await (await openDiskStore({ root })).close();
});
