import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { findPackageJSON } from 'node:module';
import { connect } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../scripts/testing/free-port.ts';

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

/**
 * Returns the resident memory of a process in kilobytes, or `undefined` on systems without `/proc`
 * (proc_pid_status(5)).
 */
export function readMemory(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  } catch {
    return undefined;
  }
}

/** The CPU cores to which the measured server and the measuring process are pinned. */
export const SERVER_CORE = 0;

export const LOAD_CORE = 1;

const TASKSET = '/usr/bin/taskset';

const PINNED = existsSync(TASKSET) && availableParallelism() > 1;

/** Processes that were started here and are still running. */
const running = new Set<ChildProcess>();

/**
 * Starts a program with piped output. If the system supports it, pins the program to `core`. Omit `core` for
 * a server whose other threads should be measured too; it can then use any core.
 */
function start(command: readonly string[], core?: number) {
  const [file = '', ...args] =
    PINNED && core !== undefined ? [TASKSET, '-c', String(core), ...command] : command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}

/** Like `start`, but starts Node with `args`. */
export function startNode(args: readonly string[], core?: number) {
  return start([process.execPath, ...args], core);
}

/**
 * Runs a program, and returns its output.
 *
 * @throws if it does not exit with code 0
 */
async function run(command: readonly string[], core?: number): Promise<string> {
  const child = start(command, core);
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${command.join(' ')} exited with code ${code}: see above.`);
  return stdout;
}

/** Like `run`, but runs Node with `args`. */
export function runNode(args: readonly string[], core?: number): Promise<string> {
  return run([process.execPath, ...args], core);
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

/**
 * Returns what a server prints when it listens.
 *
 * @throws if it exits before
 */
export async function firstOutputOf(child: ReturnType<typeof startNode>): Promise<string> {
  const exit = once(child, 'close').then(([code]) => {
    throw new Error(`A server exited with code ${code} before it listened: see above.`);
  });
  const [output] = await Promise.race([once(child.stdout, 'data'), exit]);
  return String(output);
}

/** Polls a URL until it responds. */
export async function waitFor(url: string, init: RequestInit): Promise<void> {
  const response = await untilStarted(() => fetch(url, init));
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} returned ${response.status}.`);
}

async function untilStarted<Result>(connect: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + MAX_START_SECONDS * 1000;
  while (true) {
    try {
      return await connect();
    } catch (cause) {
      const late = `The server did not respond within ${MAX_START_SECONDS} s.`;
      if (performance.now() > end) throw new Error(late, { cause });
      // Polling without a pause would compete with the server for CPU time.
      await setTimeout(1);
    }
  }
}

/** Starts a server in `servers/` on a free port, and waits until it listens. `args` follow the port. */
export async function startServer(name: string, args: readonly string[] = [], core?: number) {
  const port = await freePort();
  const file = join(import.meta.dirname, `servers/${name}.ts`);
  const child = startNode([file, String(port), ...args], core);
  child.stdout.resume();
  await untilStarted(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Returns the path of the file that a package's only command runs. */
export function commandOf(name: string): string {
  const manifest = findPackageJSON(name, import.meta.url) as string;
  const [file] = Object.values<string>(JSON.parse(readFileSync(manifest, 'utf8')).bin);
  return join(dirname(manifest), file as string);
}

const MIB = 1024 * 1024;
const CURL_OPTIONS = ['--silent', '--fail', '--output', '/dev/null', '--header', 'Expect:'];

type Fields = Readonly<Record<string, string>>;

/** Uploads a file as a form with curl; returns the seconds until the response. */
export async function uploadByCurl(url: string, fields: Fields, file: string): Promise<number> {
  const texts = Object.entries(fields).flatMap(([key, value]) => [
    '--form-string',
    `${key}=${value}`,
  ]);
  return time([...texts, '--form', `file=@${file}`, url]);
}

/** Downloads and discards a file with curl; returns the seconds. */
export function downloadByCurl(url: string): Promise<number> {
  return time([url]);
}

async function time(args: readonly string[]): Promise<number> {
  return Number(await run(['curl', ...CURL_OPTIONS, '--write-out', '%{time_total}', ...args]));
}

/** Writes a file of so many MiB. */
export async function writeLargeFile(file: string, mebibytes: number): Promise<void> {
  const stream = createWriteStream(file);
  const bytes = Buffer.alloc(MIB, 'a');
  for (let written = 0; written < mebibytes; written += 1) {
    if (!stream.write(bytes)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}
