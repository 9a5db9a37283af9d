import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

type Task = { taskId: string; hash: string; command: string; cache: { status: string } };

/** A turbo that knows nothing of the one that runs this test, and keeps its cache in `folder`. */
function env(folder: string) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TURBO'));
  return {
    ...Object.fromEntries(own),
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_CACHE_DIR: join(folder, '.turbo/cache'),
  };
}

export function runTasks(folder: string, tasks: readonly string[]): string {
  const options = { cwd: folder, env: env(folder), encoding: 'utf8' } as const;
  return execFileSync('turbo', ['run', ...tasks, '--output-logs=errors-only'], options);
}

/** The tasks that have a command, by id. */
export function listTasks(folder: string, tasks: readonly string[]): Map<string, Task> {
  const options = { cwd: folder, env: env(folder), encoding: 'utf8' } as const;
  const plan = JSON.parse(execFileSync('turbo', ['run', ...tasks, '--dry=json'], options));
  const real = (plan.tasks as Task[]).filter(({ command }) => command !== '<NONEXISTENT>');
  return new Map(real.map((task) => [task.taskId, task]));
}
