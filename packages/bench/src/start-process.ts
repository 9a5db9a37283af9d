import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Core of what is measured, and core of what measures it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const TASKSET = '/usr/bin/taskset';
const PINNED = existsSync(TASKSET) && availableParallelism() > 1;

/** Starts Node with `args`, as `startProgram` does. */
export function startProcess(args: readonly string[], core?: number): ChildProcess {
  return startProgram([process.execPath, ...args], core);
}

/**
 * Starts a program on one core, where the system can do that, or on any for a server whose threads are
 * measured too; its output is piped.
 */
export function startProgram(command: readonly string[], core?: number): ChildProcess {
  const [file, ...rest] =
    PINNED && core !== undefined ? [TASKSET, '-c', String(core), ...command] : command;
  return spawn(file as string, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Ends a process and waits until it is gone. */
export function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.on('close', () => resolve());
    child.kill();
  });
}
