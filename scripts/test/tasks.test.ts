import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout } from '../checkout.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Only these tasks write files that must not be an input of any task. */
const WRITERS = ['generate', 'build'];
const ALL = [
  ...[...WRITERS, 'lint', 'typecheck', 'test', 'drift', 'knip', 'check'],
  ...['conformance', 'bench'],
];
/** The tasks of each package that depend on a schema of the storage API. */
const OF_STORAGE_SCHEMA = {
  bench: 'bench test typecheck',
  client: 'build generate test typecheck',
  conformance: 'build generate test typecheck',
  docs: 'build generate test typecheck',
  mock: 'build test typecheck',
  proof: 'conformance test typecheck',
  scripts: 'drift lint test typecheck',
  server: 'build generate test typecheck',
  'server-stubs': 'build generate test typecheck',
  snippets: 'test typecheck',
  spec: 'check generate lint test typecheck',
};
const STORAGE_SCHEMA = 'spec/storage.v2/components/schemas/CopyItem.yaml';

interface Task {
  taskId: string;
  task: string;
  directory: string;
  inputs: Record<string, string>;
  hash: string;
  command: string;
  cache: { status: string };
}
type Tasks = ReadonlyMap<string, Task>;

let folder: string;
/** The tasks of a new checkout, before and after everything is generated and built. */
let before: Tasks;
let after: Tasks;
beforeAll(() => {
  folder = copyCheckout();
  // What the checkout has already built need not be built again.
  const cache = '.turbo/cache';
  if (existsSync(join(ROOT, cache))) {
    cpSync(join(ROOT, cache), join(folder, cache), { recursive: true });
  }
  before = listTasks();
  turbo(...WRITERS, '--output-logs=errors-only');
  after = listTasks();
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
    const changed = [...listTasks().values()].filter(
      ({ taskId, hash }) => after.get(taskId)?.hash !== hash,
    );
    const expected = Object.entries(OF_STORAGE_SCHEMA).flatMap(([name, tasks]) =>
      tasks.split(' ').map((task) => `@berth/${name}#${task}`),
    );
    expect(changed.map(({ taskId }) => taskId).toSorted()).toEqual(expected.toSorted());
  });
});

/** Runs turbo independently of the run that this test belongs to. */
function turbo(...args: string[]): string {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TURBO'));
  const env = {
    ...Object.fromEntries(own),
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_CACHE_DIR: join(folder, '.turbo/cache'),
  };
  const options = { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  return execFileSync('turbo', ['run', ...args], options);
}

/** Returns the tasks that have a command, by ID. */
function listTasks(): Tasks {
  const { tasks }: { tasks: Task[] } = JSON.parse(turbo(...ALL, '--dry=json'));
  const real = tasks.filter(({ command }) => command !== '<NONEXISTENT>');
  return new Map(real.map((task) => [task.taskId, task]));
}
