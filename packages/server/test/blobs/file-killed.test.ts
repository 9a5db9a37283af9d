import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFileStore, type FileProblem } from '../../src/blobs/file/check-file-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { hashOf, readAll } from './blob-contents.ts';
import { startChild } from './children/start-child.ts';
import { useTempFolder } from './temp-folder.ts';

/** Acknowledged files before the kill: enough that all 100 writers are busy. */
const ACKNOWLEDGED = 250;

interface Acknowledged {
  readonly path: string;
  readonly etag: string;
  readonly hash: string;
}

test('D28: keeps what was acknowledged after a kill, and nothing partial is visible', async () => {
  const root = await useTempFolder();
  const child = startChild('write-files.ts', [root]);
  const acknowledged: Acknowledged[] = [];
  for await (const line of child.lines) {
    acknowledged.push(JSON.parse(line));
    if (acknowledged.length === ACKNOWLEDGED) child.process.kill('SIGKILL');
  }
  expect(await child.ended).toBe('SIGKILL');

  const store = await createFileBlobStore({ root });
  for (const { path, etag, hash } of acknowledged) {
    const key = { env: 'dev', path };
    const content = await readAll(store, key);
    // A file that is constantly overwritten may have newer content, which `checkFileStore` verifies.
    const isReplaced = (await store.stat(key))?.etag !== etag;
    if (isReplaced) expect(path).toMatch(/^shared/);
    else expect(content && hashOf(content)).toBe(hash);
  }

  const problems: FileProblem[] = [];
  const onProblem = (problem: FileProblem) => problems.push(problem);
  const afterwards = new Date(Date.now() + 1000);
  await checkFileStore(root, { onProblem, litterOlderThan: afterwards });
  const litter = problems.filter(({ kind }) => kind === 'litter');
  expect(litter.length).toBeGreaterThan(0);
  expect(problems.filter(({ kind }) => kind === 'damaged' || kind === 'foreign')).toEqual([]);

  expect(await store.sweep(afterwards)).toBe(litter.length);
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
  await checkFileStore(root, { onProblem, repair: true });
  const report = await checkFileStore(root, { onProblem, litterOlderThan: afterwards });
  expect(report.problems).toBe(0);
});
