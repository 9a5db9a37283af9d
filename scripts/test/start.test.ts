import { execFileSync } from 'node:child_process';
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
import { startUntilReady } from './start-until-ready.ts';

const ROOT = join(import.meta.dirname, '../..');

it('installs for the Node that the scripts run on', () => {
  const text = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');
  const [, node] = /^ {2}node: (\S+)$/m.exec(text) ?? [];
  expect(text).toContain(`\nnodeVersion: ${node}\n`);
});

it.runIf(process.platform === 'linux')(
  'npm start of a fresh clone installs what the mock needs, and nothing the next time',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-start-'));
    try {
      const env = makeMachine(folder);
      const cwd = join(folder, 'clone');
      copyWorkingTree(cwd);
      const port = await freePort();
      // A document of one's own needs more than the contract's.
      const orders = 'orders=examples/orders/orders.openapi.yaml';
      const args = ['start', '--', '--port', `${port}`, '--services', orders];
      const first = await startUntilReady('npm', args, { cwd, env });
      expect(first.output).toContain('Installing');
      const headers = { authorization: 'Bearer any' };
      const response = await fetch(`http://127.0.0.1:${port}/v1/cloudrun/hello/a`, { headers });
      expect(response.status).toBe(200);
      first.child.kill('SIGTERM');
      await expect.poll(() => processesOf(port)).toEqual([]);
      // Everything on disk, including what npm and pnpm keep; hard links count once.
      const size = execFileSync('du', ['-sm', folder], { encoding: 'utf8' });
      expect(Number.parseInt(size, 10)).toBeLessThan(100);

      const npm_config_registry = 'http://127.0.0.1:9'; // Nothing listens there.
      const second = await startUntilReady(
        'script',
        ['-qec', ['npm', ...args].join(' '), '/dev/null'],
        { cwd, env: { ...env, npm_config_registry } },
      );
      expect(second.output).not.toContain('Installing');
      second.child.kill('SIGKILL'); // The other end of the terminal is closed.
      await expect.poll(() => processesOf(port)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

function copyWorkingTree(folder: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((name) => name && existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, file), join(folder, file));
  }
}

/** The environment of a machine with npm, a Node that is new enough, and an empty home. */
function makeMachine(folder: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  const HOME = join(folder, 'home');
  for (const path of [bin, HOME]) mkdirSync(path);
  const paths = (process.env.PATH as string)
    .split(delimiter)
    .filter((path) => !path.endsWith(join('node_modules', '.bin')));
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of ['npm', 'script', 'sh']) {
    const path = paths.find((path) => existsSync(join(path, name))) as string;
    symlinkSync(join(path, name), join(bin, name));
  }
  // How this machine accesses the registry. npm passes the paths of its files on.
  const ACCESS = /^npm_config_(userconfig|globalconfig|registry|cafile)$|_proxy$|cert/i;
  const access = Object.entries(process.env).filter(([name]) => ACCESS.test(name));
  const npm_config_userconfig = join(homedir(), '.npmrc');
  return { npm_config_userconfig, ...Object.fromEntries(access), HOME, PATH: bin, TMPDIR: folder };
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
