import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<string>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<unknown>;
}

/** Runs a file of this folder in a separate process, which ends with the test. */
export function startChild(
  file: string,
  args: readonly string[],
  wrapper: readonly string[] = [],
): Child {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const [command = '', ...rest] = [
    ...wrapper,
    process.execPath,
    '--conditions=berth-source',
    script,
    ...args,
  ];
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  return { process: child, lines: createInterface(child.stdout), ended };
}
