import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openDiskStore, pathOf } from '../../src/store/disk/disk-store.ts';
import { type FileProblem, fsck } from '../../src/store/disk/fsck.ts';
import type { ServerStore } from '../../src/store/server-store.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { toBytes, toStream } from './blob-contents.ts';

const key = { env: 'dev', path: 'victim/file' };
let root: string;
let store: ServerStore;
let victim: string;

beforeEach(async () => {
  root = await makeFolder();
  store = await openDiskStore({ root });
  for (const path of ['a', 'a/b', 'Folder/照片.jpg', key.path]) {
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

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['cut off', (bytes) => bytes.subarray(0, 5000)],
  ['without the last byte', (bytes) => bytes.subarray(0, -1)],
  ['longer than it should be', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
  ['changed in its content', (bytes) => bytes.fill(0x7f, 5000, 5001)],
  ['changed in its trailer', (bytes) => bytes.fill(0x7f, bytes.length - 30, bytes.length - 29)],
])('finds a file that is %s, and sets it aside', async (_, damage) => {
  const damaged = damage(await readFile(victim));
  await writeFile(victim, damaged);
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
