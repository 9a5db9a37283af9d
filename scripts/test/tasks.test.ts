import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout } from '../checkout.ts';
import { listTasks, runTasks, type Tasks } from './turbo.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Only these tasks write files that must not be an input of any task. */
const WRITERS = ['generate', 'build'];
const ALL = [
  ...[...WRITERS, 'lint', 'typecheck', 'test', 'drift', 'knip', 'check'],
  ...['conformance', 'bench', 'check:release'],
];
const STORAGE_SCHEMA = 'spec/storage.v2/components/schemas/CopyItem.yaml';

let folder: string;
/** Returns the tasks of a new checkout, before and after everything is generated and built. */
let before: Tasks;
let after: Tasks;
beforeAll(() => {
  folder = copyCheckout();
  // What the checkout has already built need not be built again.
  const cache = '.turbo/cache';
  if (existsSync(join(ROOT, cache))) {
    cpSync(join(ROOT, cache), join(folder, cache), { recursive: true });
  }
  before = listTasks(folder, ALL);
  runTasks(folder, WRITERS);
  after = listTasks(folder, ALL);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('with nothing changed', () => {
  it('a second run has only cache hits', () => {
    for (const [id, { hash }] of before) expect([id, after.get(id)?.hash]).toEqual([id, hash]);
    const states = [...after.values()]
      .filter(({ task }) => WRITERS.includes(task))
      .map(({ taskId, cache }) => [taskId, cache.status]);
    expect(states.length).toBeGreaterThan(10);
    expect(states.filter(([, status]) => status !== 'HIT')).toEqual([]);
  });

  it('no task has an input that git ignores, since a run could change it', () => {
    const inputs = [...after.values()].flatMap(({ directory, inputs }) =>
      Object.keys(inputs).map((file) => join(directory, file)),
    );
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
      cwd: folder,
      input: [...new Set(inputs)].join('\n'),
      encoding: 'utf8',
    });
    expect(inputs.length).toBeGreaterThan(500);
    expect(stdout).toBe('');
  });
});

describe('with one storage schema touched', () => {
  it('exactly these tasks run again', () => {
    appendFileSync(join(folder, STORAGE_SCHEMA), '# touched\n');
    const changed = [...listTasks(folder, ALL).values()].filter(
      ({ taskId, hash }) => after.get(taskId)?.hash !== hash,
    );
    expect(changed.map(({ taskId }) => taskId).sort()).toMatchInlineSnapshot(`
      [
        "@berth/bench#bench",
        "@berth/bench#test",
        "@berth/bench#typecheck",
        "@berth/client#build",
        "@berth/client#generate",
        "@berth/client#test",
        "@berth/client#typecheck",
        "@berth/conformance#build",
        "@berth/conformance#generate",
        "@berth/conformance#test",
        "@berth/conformance#typecheck",
        "@berth/docs#build",
        "@berth/docs#generate",
        "@berth/docs#test",
        "@berth/docs#typecheck",
        "@berth/interop#generate",
        "@berth/interop#test",
        "@berth/interop#typecheck",
        "@berth/mock#build",
        "@berth/mock#test",
        "@berth/mock#typecheck",
        "@berth/proof#conformance",
        "@berth/proof#test",
        "@berth/proof#typecheck",
        "@berth/release#check:release",
        "@berth/release#test",
        "@berth/release#typecheck",
        "@berth/scripts#drift",
        "@berth/scripts#lint",
        "@berth/scripts#test",
        "@berth/scripts#typecheck",
        "@berth/server#build",
        "@berth/server#generate",
        "@berth/server#test",
        "@berth/server#typecheck",
        "@berth/server-stubs#build",
        "@berth/server-stubs#generate",
        "@berth/server-stubs#test",
        "@berth/server-stubs#typecheck",
        "@berth/snippets#test",
        "@berth/snippets#typecheck",
        "@berth/spec#check",
        "@berth/spec#generate",
        "@berth/spec#lint",
        "@berth/spec#test",
        "@berth/spec#typecheck",
      ]
    `);
  });
});
