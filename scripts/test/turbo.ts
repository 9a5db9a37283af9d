import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

type Task = {
  taskId: string;
  task: string;
  directory: string;
  inputs: Record<string, string>;
  hash: string;
  command: string;
  cache: { status: string };
};

function turbo(folder: string, args: readonly string[]): string {
  return execFileSync('turbo', ['run', ...args], {
    cwd: folder,
    env: env(folder),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

/**
 * Returns the environment for a turbo run that is independent of the one running this test, with its
 * cache in `folder`.
 */
function env(folder: string) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TURBO'));
  return {
    ...Object.fromEntries(own),
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_CACHE_DIR: join(folder, '.turbo/cache'),
  };
}

export function runTasks(folder: string, tasks: readonly string[]): void {
  turbo(folder, [...tasks, '--output-logs=errors-only']);
}

export type Tasks = ReadonlyMap<string, Task>;

/** Returns the tasks that have a command, by ID. */
export function listTasks(folder: string, tasks: readonly string[]): Tasks {
  const plan = JSON.parse(turbo(folder, [...tasks, '--dry=json']));
  const real = (plan.tasks as Task[]).filter(({ command }) => command !== '<NONEXISTENT>');
  return new Map(real.map((task) => [task.taskId, task]));
}
