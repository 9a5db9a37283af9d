import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

/** Core of what is measured, and core of what measures it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const TASKSET = '/usr/bin/taskset';
const PINNED = existsSync(TASKSET) && availableParallelism() > 1;
/** What was started here and has not ended. */
const running = new Set<ChildProcess>();

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
  return remember(spawn(file as string, rest, { stdio: ['ignore', 'pipe', 'inherit'] }));
}

/**
 * Runs a program on any core to its end, and gives what it prints.
 *
 * @throws where its exit code is not 0
 */
export async function runProgram(command: readonly string[]): Promise<string> {
  const [file, ...rest] = command;
  const ended = promisify(execFile)(file as string, rest, { maxBuffer: 2 ** 26 });
  remember(ended.child);
  return (await ended).stdout;
}

/** Ends a process and waits until it is gone. */
export function stopProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return Promise.resolve();
  return new Promise((resolve) => {
    child.on('close', () => resolve());
    child.kill();
  });
}

/** Ends all that was started here, and what is started meanwhile. */
export async function stopAll(): Promise<void> {
  while (running.size > 0) await Promise.all([...running].map(stopProcess));
}

function remember(child: ChildProcess): ChildProcess {
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}
