import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listFailures } from '../totals.mjs';

const VITEST = join(import.meta.dirname, '../../node_modules/.bin/vitest');
const FILES = {
  'passes.test.js': 'it("holds", () => {});',
  'fails.test.js':
    'describe("a file", () => { it("passes", () => {}); it("exists", () => { expect(1).toBe(2); }); });',
  'breaks.test.js': 'throw new Error("no such disk");',
};

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'failures-')));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

it('names file, test and error of each failure', async () => {
  const output = join(folder, 'report.json');
  const args = ['run', '--globals', '--root', folder, '--reporter=json', '--outputFile', output];
  const code = await new Promise((done) => {
    execFile(VITEST, args, { cwd: folder }, (error) => done(error?.code));
  });
  expect(code).toBe(1);

  const report = JSON.parse(await readFile(output, 'utf8'));
  const failures = listFailures(folder, report, ['Error: too late']).toSorted();
  expect(failures).toEqual([
    expect.stringMatching(/^breaks\.test\.js\n {4}.*no such disk/),
    expect.stringMatching(/^fails\.test\.js › a file exists\n {4}AssertionError: expected 1/),
    'unhandled error\n    Error: too late',
  ]);
});
