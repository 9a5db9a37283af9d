import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../testing/free-port.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Starts a command and waits until its mock is ready. */
async function startUntilReady(
  [command = '', ...args]: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(command, args, { cwd: ROOT, stdio: 'pipe', ...options });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => reject(new Error(output)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (/^ready\r?$/m.test(output)) resolve();
      });
    }
  });
  return { child, output };
}

function call(port: number): Promise<Response> {
  const headers = { authorization: 'Bearer any' };
  return fetch(`http://127.0.0.1:${port}/v1/cloudrun/hello/a/b?x=1`, { headers });
}

/** Returns the processes with a port in their command line, except for zombies. */
function processesOf(port: number): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return line.includes(` ${port}`) ? [`${pid} ${line}`] : [];
    } catch {
      return []; // It has ended.
    }
  });
}

it.runIf(process.platform === 'linux')(
  'npm start of a fresh clone installs what the mock needs, and nothing the next time',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-start-'));
    try {
      const env = makeMachine(folder);
      const clone = join(folder, 'clone');
      cloneWorkingTree(clone);
      const port = await freePort();
      const command = ['npm', 'start', '--', '--port', `${port}`];
      const first = await startUntilReady(command, { cwd: clone, env });
      expect(first.output).toContain('Installing');
      expect((await call(port)).status).toBe(200);
      first.child.kill('SIGTERM');
      await expect.poll(() => processesOf(port)).toEqual([]);
      // Everything on disk, including what npm and pnpm keep; hard links count once.
      expect(toMegabytes(folder)).toBeLessThan(100);

      const npm_config_registry = 'http://127.0.0.1:9'; // Nothing listens there.
      const terminal = ['script', '-qec', command.join(' '), '/dev/null'];
      const again = { cwd: clone, env: { ...env, npm_config_registry } };
      const second = await startUntilReady(terminal, again);
      expect(second.output).not.toContain('Installing');
      second.child.kill('SIGKILL'); // The other end of the terminal is closed.
      await expect.poll(() => processesOf(port)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

/** Commits the working tree to a new repository. */
function cloneWorkingTree(folder: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((name) => name && existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'All'],
  ]) {
    execFileSync('git', args, { cwd: folder });
  }
}

/** The environment of a machine with git, npm, a Node that is new enough, and an empty home. */
function makeMachine(folder: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  const HOME = join(folder, 'home');
  for (const path of [bin, HOME]) mkdirSync(path);
  const paths = (process.env.PATH as string)
    .split(delimiter)
    .filter((path) => !path.endsWith(join('node_modules', '.bin')));
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of ['git', 'npm', 'script', 'sh']) {
    const path = paths.find((path) => existsSync(join(path, name))) as string;
    symlinkSync(join(path, name), join(bin, name));
  }
  // How this machine accesses the registry. npm passes the paths of its files on.
  const ACCESS = /^npm_config_(userconfig|globalconfig|registry|cafile)$|_proxy$|cert/i;
  const access = Object.entries(process.env).filter(([name]) => ACCESS.test(name));
  const npm_config_userconfig = join(homedir(), '.npmrc');
  return { npm_config_userconfig, ...Object.fromEntries(access), HOME, PATH: bin, TMPDIR: folder };
}

function toMegabytes(folder: string): number {
  const text = execFileSync('du', ['-sm', folder], { encoding: 'utf8' });
  return Number.parseInt(text, 10);
}
