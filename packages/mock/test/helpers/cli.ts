import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import packageInfo from '../../package.json' with { type: 'json' };
import { run } from '../../src/cli/run.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command line from its source. */
export function spawnCli(...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--conditions=berth-source', CLI, ...args]);
}

/** Runs the command line in this process, for options with which it ends by itself. */
export async function runCli(...args: string[]): Promise<Finished> {
  const finished: Finished = { code: 0, stdout: '', stderr: '' };
  const exited = new Error('exited');
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      finished[name] += text;
      return true;
    });
  }
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    finished.code = Number(code);
    throw exited;
  });
  try {
    await run(['node', 'berth-mock', ...args], packageInfo.version);
    finished.code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (error !== exited) throw error;
  } finally {
    process.exitCode = undefined;
    vi.restoreAllMocks();
  }
  return finished;
}

/** Waits until a process has ended. */
export async function finish(child: ChildProcess): Promise<Finished> {
  const finished = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (text) => {
      finished[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...finished };
}

/** Returns what a mock prints until it is ready. */
export async function untilReady(child: ChildProcess): Promise<string> {
  let [printed, warned] = ['', ''];
  child.stderr?.on('data', (text) => {
    warned += text;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      printed += text;
      if (/(\nready|"ready":true\})\n$/.test(printed)) resolve();
    });
    child.on('close', (code) => reject(new Error(`ended with ${code}:\n${warned}`)));
  });
  return printed;
}
