import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Clock ticks a second in `/proc`, which Linux fixes for programs (proc_pid_stat(5), `utime`). */
const TICKS = 100;

/** Seconds of processor time that a process has used; `undefined` without `/proc`. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name, may hold spaces; `utime` and `stime` are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return undefined;
  }
}

/** Resident memory of a process; `undefined` without `/proc`. */
export function residentKilobytes(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** How many connections to open at the same time, so that no system queue overflows. */
const AT_ONCE = 100;

/** Connections opened before the first measurement, for one-time allocations. */
const WARM_UP = 300;

const SETTLE_MILLISECONDS = 2000;

type Idle = { pid: number; url: URL; headers: Record<string, string>; count: number };

/**
 * Kilobytes that each of `count` idle connections costs a server: the growth of its resident memory. The
 * connections are closed afterwards. `undefined` without `/proc`.
 */
export async function holdIdle({ pid, url, headers, count }: Idle): Promise<number | undefined> {
  const sockets: Socket[] = [];
  const grow = async (wanted: number) => {
    for (let left = wanted; left > 0; left -= AT_ONCE) {
      const batch = Array.from({ length: Math.min(left, AT_ONCE) }, () => open(url, headers));
      sockets.push(...(await Promise.all(batch)));
    }
    await setTimeout(SETTLE_MILLISECONDS);
    return residentKilobytes(pid);
  };
  try {
    const before = await grow(WARM_UP);
    const after = await grow(count);
    return before === undefined || after === undefined ? undefined : (after - before) / count;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Opens a connection and waits for the head of a successful response. */
function open(url: URL, headers: Record<string, string>): Promise<Socket> {
  const lines = Object.entries({ host: url.host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = connect(Number(url.port), url.hostname);
  socket.write(`GET ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('data', (chunk) => {
      const head = chunk.toString('latin1');
      if (/^HTTP\/1\.1 (?:101|200) /.test(head)) resolve(socket.resume());
      else reject(new Error(`${url}: ${head.split('\r\n', 1)[0]}`));
    });
  });
}

/** Core of what is measured, and core of what measures it. */
export const SERVER_CORE = 0;

export const LOAD_CORE = 1;

const TASKSET = '/usr/bin/taskset';

const PINNED = existsSync(TASKSET) && availableParallelism() > 1;

/** Processes started here that still run. */
const running = new Set<ChildProcess>();

/** Starts Node with `args`, as `startProgram` does. */
export function startProcess(args: readonly string[], core?: number): ChildProcess {
  return startProgram([process.execPath, ...args], core);
}

/**
 * Starts a program on one core if the system supports that, or on any core for a server whose threads are measured
 * too. Its output is piped.
 */
export function startProgram(command: readonly string[], core?: number): ChildProcess {
  const [file, ...rest] =
    PINNED && core !== undefined ? [TASKSET, '-c', String(core), ...command] : command;
  return remember(spawn(file as string, rest, { stdio: ['ignore', 'pipe', 'inherit'] }));
}

/**
 * Runs a program on any core, and returns its output.
 *
 * @throws if its exit code is not 0
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

/** Ends all processes started here, including those started meanwhile. */
export async function stopAll(): Promise<void> {
  while (running.size > 0) await Promise.all([...running].map(stopProcess));
}

function remember(child: ChildProcess): ChildProcess {
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}

const made: string[] = [];

process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/**
 * Creates an empty folder that is removed when the process ends: after a signal, the `finally` of a suite does not run.
 */
export function makeTemporaryFolder(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `berth-bench-${purpose}-`));
  made.push(folder);
  return folder;
}

/** Calls until there is a response, for at most `seconds`; returns the milliseconds that it took. */
export async function waitFor(url: string, init: RequestInit, seconds = 20): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    try {
      const answer = await fetch(url, init);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${url} returned ${answer.status}.`);
      return performance.now() - start;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // Calling without a pause would take the processor from the server.
      await setTimeout(1);
    }
  }
  throw new Error(`${url} did not respond within ${seconds} s.`);
}

/** Waits until something listens on a loopback port, for at most `seconds`. */
export async function waitForPort(port: number, seconds = 20): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await setTimeout(20);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`Nothing listens on port ${port} after ${seconds} s.`);
}

const require = createRequire(import.meta.url);

/** The file behind the one command of a package. */
export function commandOf(name: string): string {
  const manifest = require.resolve(`${name}/package.json`);
  const [file] = Object.values<string>(require(manifest).bin);
  return join(dirname(manifest), file as string);
}
