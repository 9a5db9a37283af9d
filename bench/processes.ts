import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../scripts/testing/free-port.ts';

/** Returns a process's CPU time in seconds. */
export function cpuSeconds(pid: number): number {
  // The first field is nanoseconds on a CPU. Unlike the ticks in `stat`, it is exact for short slices.
  const times = readdirSync(`/proc/${pid}/task`).map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e9;
}

/** Returns the resident memory of a process in kilobytes (proc_pid_status(5)). */
export function readMemory(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** The CPU cores to which the measured server and the measuring process are pinned. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const running = new Set<ChildProcess>();
const folders: string[] = [];

// Also after a signal, when `finally` does not run.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Starts a program with piped output, pinned to `core`. Omit `core` for a server whose other threads should be
 * measured too; it can then use any core.
 */
export function start(program: string, args: readonly string[], core?: number) {
  const pin = core === undefined ? [] : ['taskset', '-c', `${core}`];
  const [file = '', ...rest] = [...pin, program, ...args];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}

/**
 * Runs a program, and returns its output.
 *
 * @throws if it does not exit with code 0
 */
export async function run(program: string, args: readonly string[], core?: number) {
  const child = start(program, args, core);
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with code ${code}.`);
  return stdout;
}

/** Kills processes and waits for them to exit. */
export async function stop(...children: ChildProcess[]): Promise<void> {
  const left = children.filter((child) => running.has(child));
  const closed = left.map((child) => once(child, 'close'));
  for (const child of left) child.kill();
  await Promise.all(closed);
}

/** Starts a server in `servers/` on a free port, and waits for its output. `args` follow the port. */
export async function startServer(name: string, args: readonly string[] = [], core?: number) {
  const port = await freePort();
  const file = join(import.meta.dirname, `servers/${name}.ts`);
  const child = start(process.execPath, [file, `${port}`, ...args], core);
  const exit = once(child, 'close').then(([code]) => {
    throw new Error(`servers/${name}.ts exited with code ${code}.`);
  });
  const [output] = await Promise.race([once(child.stdout, 'data'), exit]);
  return { child, url: `http://127.0.0.1:${port}`, output: `${output}` };
}

/** Creates an empty folder that is removed on exit. */
export function makeTemporaryFolder(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `berth-bench-${purpose}-`));
  folders.push(folder);
  return folder;
}

/** Returns the path of the file that a package's only command runs. */
export function commandOf(name: string): string {
  const manifest = findPackageJSON(name, import.meta.url) as string;
  const [file] = Object.values<string>(JSON.parse(readFileSync(manifest, 'utf8')).bin);
  return join(dirname(manifest), file as string);
}

/** Uploads a file as a form with curl; returns the seconds until the response. */
export function uploadByCurl(url: string, fields: Readonly<Record<string, string>>, file: string) {
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
  const options = ['--silent', '--fail', '--output', '/dev/null', '--header', 'Expect:'];
  return Number(await run('curl', [...options, '--write-out', '%{time_total}', ...args]));
}

/** Writes a file of so many MiB. */
export async function writeLargeFile(file: string, mebibytes: number): Promise<void> {
  const bytes = Buffer.alloc(1024 * 1024, 'a');
  await writeFile(
    file,
    Array.from({ length: mebibytes }, () => bytes),
  );
}
