import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@berth/runtimes/free-port';

/** Returns a process's CPU time in seconds, or `undefined` on systems without `/proc`. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    // The first field is nanoseconds on a CPU. Unlike the ticks in `stat`, it is exact for short slices.
    const times = threads.map((id) =>
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e9;
  } catch {
    return undefined;
  }
}

/** Returns a process's resident memory in kilobytes, or `undefined` on systems without `/proc`. */
export function residentKilobytes(pid: number): number | undefined {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** Number of connections to open concurrently, few enough not to overflow a system queue. */
const AT_ONCE = 100;

/** Number of connections opened before the first measurement, to get one-time allocations out of the way. */
const WARM_UP = 300;

const SETTLE_MILLISECONDS = 2000;

type Idle = { pid: number; url: URL; headers: Record<string, string>; count: number };

/**
 * Returns how many kilobytes each of `count` idle connections costs a server, measured by the growth of its
 * resident memory. Closes the connections afterwards. Returns `undefined` on systems without `/proc`.
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

/** The CPU cores to which the measured server and the measuring process are pinned. */
export const SERVER_CORE = 0;

export const LOAD_CORE = 1;

const TASKSET = '/usr/bin/taskset';

const PINNED = existsSync(TASKSET) && availableParallelism() > 1;

/** Processes that were started here and are still running. */
const running = new Set<ChildProcess>();

/** Like `startProgram`, but starts Node with `args`. */
export function startProcess(args: readonly string[], core?: number): ChildProcess {
  return startProgram([process.execPath, ...args], core);
}

/**
 * Starts a program with piped output. If the system supports it, pins the program to `core`. Omit `core` for
 * a server whose other threads should be measured too; it can then use any core.
 */
export function startProgram(command: readonly string[], core?: number): ChildProcess {
  const [file, ...rest] =
    PINNED && core !== undefined ? [TASKSET, '-c', String(core), ...command] : command;
  return remember(spawn(file as string, rest, { stdio: ['ignore', 'pipe', 'inherit'] }));
}

/**
 * Runs a program on any core and returns its output.
 *
 * @throws if it does not exit with code 0
 */
export async function runProgram(command: readonly string[]): Promise<string> {
  const [file, ...rest] = command;
  const ended = promisify(execFile)(file as string, rest, { maxBuffer: 2 ** 26 });
  remember(ended.child);
  return (await ended).stdout;
}

/** Kills a process and waits for it to exit. */
export function stopProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return Promise.resolve();
  return new Promise((resolve) => {
    child.on('close', () => resolve());
    child.kill();
  });
}

/** Kills all processes that this module has started, including any that start in the meantime. */
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
 * Creates an empty folder that is removed on exit. A suite cannot remove it in `finally`, which does not run
 * after a signal.
 */
export function makeTemporaryFolder(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `berth-bench-${purpose}-`));
  made.push(folder);
  return folder;
}

/** How long a server may take to start, in seconds. Long enough for a busy machine. */
const MAX_START_SECONDS = 300;

/** Polls a URL until it responds; returns how long that took, in milliseconds. */
export async function waitFor(url: string, init: RequestInit): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < MAX_START_SECONDS * 1000) {
    try {
      const response = await fetch(url, init);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${url} returned ${response.status}.`);
      return performance.now() - start;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // Polling without a pause would compete with the server for CPU time.
      await setTimeout(1);
    }
  }
  throw new Error(`${url} did not respond within ${MAX_START_SECONDS} s.`);
}

/** Waits until something listens on a loopback port. */
async function waitForPort(port: number): Promise<void> {
  const end = performance.now() + MAX_START_SECONDS * 1000;
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
  throw new Error(`Nothing is listening on port ${port} after ${MAX_START_SECONDS} s.`);
}

/** Starts a server in `servers/` on a free port, and waits until it listens. `args` follow the port. */
export async function startServer(name: string, args: readonly string[] = [], core?: number) {
  const port = await freePort();
  const file = join(import.meta.dirname, `servers/${name}.ts`);
  const child = startProcess([file, String(port), ...args], core);
  child.stdout?.resume();
  await waitForPort(port);
  return { child, url: `http://127.0.0.1:${port}` };
}

const require = createRequire(import.meta.url);

/** Returns the path of the file that a package's only command runs. */
export function commandOf(name: string): string {
  const manifest = require.resolve(`${name}/package.json`);
  const [file] = Object.values<string>(require(manifest).bin);
  return join(dirname(manifest), file as string);
}
