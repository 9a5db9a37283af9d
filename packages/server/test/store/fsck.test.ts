import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openDiskStore, pathOf } from '../../src/store/disk/disk-store.ts';
import { type FileProblem, fsck } from '../../src/store/disk/fsck.ts';
import type { ServerStore } from '../../src/store/server-store.ts';
import { toBytes, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

const PATHS = ['a', 'a/b', 'Folder/照片.jpg'];
const key = { env: 'dev', path: 'victim/file' };
let root: string;
let store: ServerStore;
let victim: string;

beforeEach(async () => {
  root = await useTempFolder();
  store = await openDiskStore(root);
  for (const path of [...PATHS, key.path]) {
    const content = toStream(toBytes(10_000));
    await store.write({ env: 'dev', path }, content, { contentType: 'a/b' });
  }
  victim = pathOf(root, key);
  await store.close();
});

async function check(repair = false): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  const onProblem = (problem: FileProblem) => problems.push(problem);
  const report = await fsck(root, { onProblem, repair });
  expect(report.problems).toBe(problems.length);
  return problems;
}

const DAMAGES: Record<string, () => Promise<unknown>> = {
  'cut off': () => truncate(victim, 5000),
  'without the last byte': async () => truncate(victim, (await readFile(victim)).length - 1),
  'longer than it should be': () => appendFile(victim, 'x'),
  'changed in its content': () => changeByte(5000),
  'changed in its trailer': async () => changeByte((await readFile(victim)).length - 30),
};

async function changeByte(position: number): Promise<void> {
  const handle = await open(victim, 'r+');
  await handle.write(Buffer.from([0x7f]), 0, 1, position);
  await handle.close();
}

test.each(Object.keys(DAMAGES))('finds a file that is %s, and sets it aside', async (name) => {
  await DAMAGES[name]?.();
  const damaged = await readFile(victim);
  expect(await check()).toMatchObject([{ kind: 'damaged', path: relative(root, victim) }]);
  expect(await check(true)).toHaveLength(1);
  expect(await store.stat(key)).toBeUndefined();
  const [run = ''] = await readdir(join(root, 'set-aside'));
  const aside = join(root, 'set-aside', run, relative(join(root, 'files'), victim));
  expect(await readFile(aside)).toEqual(damaged);
  expect(await check()).toEqual([]);
});

test.each(['.hidden', `dev/00/${'1'.repeat(64)}`])('finds the foreign file %s', async (name) => {
  const path = join(root, 'files', name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x');
  expect(await check()).toMatchObject([{ kind: 'foreign', path: join('files', name) }]);
});

test('finds a symbolic link, and does not follow it', async () => {
  await symlink('/etc', join(root, 'files', 'dev', 'etc'));
  expect(await check(true)).toMatchObject([{ kind: 'foreign', path: 'files/dev/etc' }]);
  expect(await check()).toEqual([]);
  expect(await readdir('/etc')).not.toEqual([]);
});
