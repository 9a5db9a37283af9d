import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openDiskStore, pathOf } from '../../src/store/disk/disk-store.ts';
import { makeFolder as makeDurableFolder } from '../../src/store/disk/file-system.ts';
import { fsck } from '../../src/store/disk/fsck.ts';
import type { ServerStore } from '../../src/store/server-store.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { toStream } from './blob-contents.ts';

/** What a loss of power could undo: contents and names that were written since the file or its folder was synced. */
const unsynced = vi.hoisted(() => new Set<string>());
/** Names that were given to files whose content was not durable. */
const halfFiles = vi.hoisted((): string[] => []);

vi.mock('node:fs/promises', async (importOriginal) => {
  type Fs = typeof import('node:fs/promises');
  type Any = (...args: unknown[]) => Promise<unknown>;
  const real = await importOriginal<Fs>();
  const folderOf = (path: unknown) => `${path}`.replace(/[\\/][^\\/]*$/, '');
  /** Runs a function of the file system, and notes what a sync has to make durable. */
  const noting =
    (name: keyof Fs, note: (...args: unknown[]) => void): Any =>
    async (...args) => {
      const result = await (real[name] as Any)(...args);
      note(...args);
      return result;
    };
  return {
    ...real,
    async open(...args: Parameters<Fs['open']>) {
      const handle = await real.open(...args);
      const path = `${args[0]}`;
      const writev = handle.writev.bind(handle);
      return Object.assign(handle, {
        // Nothing here outlives the process.
        sync: async () => void unsynced.delete(path),
        writev(...chunks: Parameters<typeof writev>) {
          unsynced.add(path);
          return writev(...chunks);
        },
      });
    },
    copyFile: noting('copyFile', (_from, to) => unsynced.add(`${to}`)),
    mkdir: noting('mkdir', (path) => {
      // No process that it names survives a loss of power.
      if (!`${path}`.endsWith('owners')) unsynced.add(folderOf(path));
    }),
    unlink: noting('unlink', (path) => unsynced.add(folderOf(path))),
    rename: noting('rename', (from, to) => {
      if (unsynced.has(`${from}`)) halfFiles.push(`${to}`);
      for (const path of [from, to]) unsynced.add(folderOf(path));
    }),
  };
});

const keyOf = (path: string) => ({ env: 'dev', path });
let root: string;
let store: ServerStore;

/** Waits for a change, and expects that it is durable then. Temporary files need not be. */
async function expectDurable(change: Promise<unknown>): Promise<void> {
  await change;
  const lost = [...unsynced].filter((path) => !/^(tmp|owners)\b/.test(relative(root, path)));
  expect([lost, halfFiles]).toEqual([[], []]);
}

const put = (path: string) =>
  store.write(keyOf(path), toStream(Buffer.from(path)), { contentType: 'a/b' });

const copy = (from: string, to: string, options: { overwrite: boolean; move?: boolean }) =>
  store.copy(keyOf(from), keyOf(to), options);

beforeEach(async () => {
  unsynced.clear();
  root = join(await makeFolder(), 'new', 'store');
  const opened = openDiskStore({ root });
  await expectDurable(opened);
  store = await opened;
});

test.each<[string, ...(() => Promise<unknown>)[]]>([
  ['an upload, its new folders, and another one in its place', () => put('a'), () => put('a')],
  ['a copy', () => put('a'), () => copy('a', 'b', { overwrite: false })],
  ['a copy onto a file', () => put('a'), () => put('b'), () => copy('a', 'b', { overwrite: true })],
  ['a move', () => put('a'), () => copy('a', 'b', { overwrite: false, move: true })],
  ['a deletion', () => put('a'), () => store.delete(keyOf('a'))],
])('%s is durable when it is acknowledged', async (_, ...changes) => {
  for (const change of changes) await expectDurable(change());
});

test('a store is durable whose first process was killed while it was created', async () => {
  root = join(dirname(root), 'other');
  await makeDurableFolder(root);
  for (const name of ['files', 'tmp']) await mkdir(join(root, name));
  await expectDurable(openDiskStore({ root }));
});

test('a damaged file that fsck moves aside is durable', async () => {
  await put('a');
  await store.close();
  await appendFile(pathOf(root, keyOf('a')), '!');
  await expectDurable(fsck(root, { repair: true, onProblem() {} }));
});
