import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobDamagedError } from '@berth/storage';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { openDiskStore, pathOf } from '../../src/store/disk.ts';
import { makeFolder } from '../../src/store/disk-files.ts';
import { fsck } from '../../src/store/fsck.ts';
import { readAll, toStream } from './blob-contents.ts';
import type { Crash, Recorder } from './power-loss.ts';
import { newTempFolder, useTempFolder } from './temp-folder.ts';

const disk = vi.hoisted(() => ({ recorder: undefined as Recorder | undefined }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const { Recorder: Class } =
    await vi.importActual<typeof import('./power-loss.ts')>('./power-loss.ts');
  disk.recorder = new Class();
  return { ...real, ...disk.recorder.wrap(real) };
});

/** Files by path; undefined for none. */
type Files = Readonly<Record<string, string | undefined>>;

/** One change, and what it makes of some files. */
interface Change {
  readonly run: (store: BlobStore, root: string) => Promise<unknown>;
  readonly after: Files;
}

const keyOf = (path: string) => ({ env: 'dev', path });

const put = (path: string, content: string): Change => ({
  run: (store) => store.write(keyOf(path), toStream(Buffer.from(content)), { contentType: 'a/b' }),
  after: { [path]: content },
});

const copy = (from: string, to: string, content: string, overwrite = true): Change => ({
  run: (store) => store.copy(keyOf(from), keyOf(to), { overwrite }),
  after: { [to]: content },
});

const move = (from: string, to: string, content: string, overwrite = true): Change => ({
  run: (store) => store.copy(keyOf(from), keyOf(to), { overwrite, move: true }),
  after: { [from]: undefined, [to]: content },
});

const remove = (path: string): Change => ({
  run: (store) => store.delete(keyOf(path)),
  after: { [path]: undefined },
});

const AFTER_KILL = 'an upload to a store whose first process was killed while it was created';

const SCENARIOS: Readonly<Record<string, readonly Change[]>> = {
  'an upload, its new folders, and another one in its place': [
    put('a/b/file', 'old'),
    put('a/b/file', 'new'),
  ],
  [AFTER_KILL]: [put('file', 'x')],
  'a copy that may overwrite': [put('file', 'x'), put('copy', 'old'), copy('file', 'copy', 'x')],
  'a copy that must not overwrite': [put('file', 'x'), copy('file', 'a/b/copy', 'x', false)],
  'a move': [put('from/file', 'x'), move('from/file', 'to/file', 'x', false)],
  'a move onto another file': [put('file', 'x'), put('to', 'old'), move('file', 'to', 'x')],
  'a deletion, and another upload': [put('a/file', 'x'), remove('a/file'), put('a/file', 'y')],
};

let crashed: string;

beforeAll(async () => {
  crashed = await newTempFolder();
});
afterAll(() => rm(crashed, { recursive: true, force: true }));

/** Runs the changes on a new store, and returns what happened. */
async function record(changes: readonly Change[], isAfterKill: boolean) {
  const recorder = disk.recorder as Recorder;
  const base = await useTempFolder();
  const root = join(base, 'new', 'store');
  recorder.start();
  if (isAfterKill) {
    await makeFolder(root);
    for (const name of ['files', 'tmp']) await mkdir(join(root, name));
  }
  const store = await openDiskStore({ root });
  for (const change of changes) {
    recorder.mark('begin');
    await change.run(store, root);
    recorder.mark('end');
  }
  recorder.isRecording = false;
  await store.close();
  return { recorder, base };
}

/** What a store finds on each disk; most disks are found several times. */
const found = new Map<string, Promise<Files>>();
let count = 0;

function read(crash: Crash, base: string, paths: readonly string[]): Promise<Files> {
  const files = [...crash.files].map(([path, bytes]) => [path, bytes.toString('latin1')]);
  const key = JSON.stringify([base, files, [...crash.folders]]);
  const known = found.get(key) ?? readDisk(crash, base, paths);
  found.set(key, known);
  return known;
}

async function readDisk(crash: Crash, base: string, paths: readonly string[]): Promise<Files> {
  const { restore } = await import('./power-loss.ts');
  count += 1;
  const folder = join(crashed, `${count}`);
  await restore(crash, base, folder);
  const root = join(folder, 'new', 'store');
  // No process survives a loss of power.
  await rm(join(root, 'owners'), { recursive: true, force: true });
  const store = await openDiskStore({ root });
  const read = async (path: string) => {
    try {
      return [path, (await readAll(store, keyOf(path)))?.toString()];
    } catch (error) {
      if (!(error instanceof BlobDamagedError)) throw error;
      return [path, 'damaged'];
    }
  };
  const entries = await Promise.all(paths.map(read));
  await store.close();
  await rm(folder, { recursive: true });
  return Object.fromEntries(entries);
}

/** Returns the first disk that has lost what was acknowledged, or that has half of what was not. */
async function findLoss(
  { recorder, base }: Awaited<ReturnType<typeof record>>,
  changes: readonly Change[],
  without?: string,
): Promise<{ marks: number; files: Files } | undefined> {
  const paths = [...new Set(changes.flatMap(({ after }) => Object.keys(after)))];
  for (const crash of recorder.crashes(without)) {
    const ended = crash.marks.filter((mark) => mark === 'end').length;
    const isBusy = crash.marks.at(-1) === 'begin';
    const before: Files = Object.assign({}, ...changes.slice(0, ended).map(({ after }) => after));
    const after: Files = { ...before, ...(isBusy && changes[ended]?.after) };
    const files = await read(crash, base, paths);
    const isRight = paths.every((path) => [before[path], after[path]].includes(files[path]));
    // A file that is being moved is in one of its two places.
    const moved = isBusy ? Object.entries(changes[ended]?.after ?? {}) : [];
    const isGone = moved.length === 2 && moved.every(([path]) => files[path] !== moved[1]?.[1]);
    if (!isRight || isGone) return { marks: crash.marks.length, files };
  }
  return undefined;
}

/** Where the driver syncs, and whether a loss was found without it. */
const sites = new Map<string, boolean>();

test.each(Object.entries(SCENARIOS))('%s', async (name, changes) => {
  const recorded = await record(changes, name === AFTER_KILL);
  expect(await findLoss(recorded, changes)).toBeUndefined();
  for (const site of recorded.recorder.sites) {
    const isNeeded = sites.get(site) || (await findLoss(recorded, changes, site)) !== undefined;
    sites.set(site, isNeeded);
  }
});

test('a damaged file that fsck moves aside is never lost', async () => {
  const { isThere } = await import('./power-loss.ts');
  const damageAndRepair: Change = {
    async run(store, root) {
      await store.close();
      await appendFile(pathOf(root, keyOf('a/file')), '!');
      await fsck(root, { repair: true, onProblem() {} });
    },
    after: {},
  };
  const { recorder, base } = await record([put('a/file', 'content'), damageAndRepair], false);
  const lost = recorder.crashes().filter((crash) => {
    const isDone = crash.marks.length > 1;
    const paths = [...crash.files.keys()].filter((path) => isThere(crash, path, base));
    return isDone && !paths.some((path) => /(files|set-aside).*[0-9a-f]{64}$/.test(path));
  });
  expect(lost.toArray()).toEqual([]);
});

test('no fsync can be left out', () => {
  expect(sites.size).toBeGreaterThanOrEqual(8);
  // The recorder assumes that the names of a rename become durable together; not every disk does that.
  const isRename = (site: string) => /place.*moveFile/.test(site);
  const needless = [...sites].filter(([site, isNeeded]) => !isNeeded && !isRename(site));
  expect(needless).toEqual([]);
});
