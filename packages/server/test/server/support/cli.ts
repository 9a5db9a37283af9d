import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import packageInfo from '../../../package.json' with { type: 'json' };
import { run } from '../../../src/cli/program.ts';
import { type Line, makeFolder } from './start-server.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

/** A running command line, from source. */
export class Cli {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown[]>;

  constructor(cwd: string, args: readonly string[]) {
    this.child = spawn(process.execPath, ['--conditions=berth-source', CLI, ...args], { cwd });
    this.#closed = once(this.child, 'close');
    for (const name of ['stdout', 'stderr'] as const) {
      this.child[name]?.setEncoding('utf8').on('data', (text) => {
        this[name] += text;
        this.child.emit('text');
      });
    }
    onTestFinished(() => {
      this.child.kill('SIGKILL');
    });
  }

  get lines(): Line[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Waits for a log line. */
  line(msg: string, count = 1): Promise<Line> {
    return this.until(() => this.lines.filter((line) => line.msg === msg)[count - 1]);
  }

  /** Waits until it listens; returns the addresses. */
  async listening() {
    const { url, adminUrl } = await this.line('listening');
    return { url: String(url), adminUrl: String(adminUrl) };
  }

  /** Waits until the output satisfies a condition. */
  async until<Found>(look: () => Found | undefined | false): Promise<Found> {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`ended: ${this.stdout}${this.stderr}`);
      await Promise.race([once(this.child, 'text'), this.#closed]);
    }
  }

  async finish(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const [code] = await this.#closed;
    return { code: code as number | null, stdout: this.stdout, stderr: this.stderr };
  }
}

/** Starts a server on free ports with this configuration, and files that it refers to. */
export async function startConfigured(config: string, files: Record<string, string> = {}) {
  const folder = await makeFolder({ 'berth.yaml': config, ...files });
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  return { folder, cli, ...(await cli.listening()) };
}

/** Starts a development server on a free port. Returns what it prints. */
export async function startDevelopment(folder: string, ...args: string[]) {
  const cli = new Cli(folder, ['--port', '0', ...args]);
  await cli.until(() => cli.stdout.endsWith('\nready\n'));
  const printed = (name: string) =>
    new RegExp(`^${name} *(\\S+)`, 'm').exec(cli.stdout)?.[1] as string;
  const [url, token, keyId] = ['Gateway', 'Access token', 'Key pair +\\w+='].map(printed);
  return { cli, url: url as string, token: token as string, keyId: keyId as string };
}

/** Runs a command that starts no server, in this process: much faster than in another one. */
export async function runHere(cwd: string, ...args: string[]) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += text;
      return true;
    });
  }
  const before = process.cwd();
  process.chdir(cwd);
  try {
    await run(['node', 'berth-server', ...args], packageInfo.version);
    return { code: process.exitCode ?? 0, ...texts };
  } finally {
    process.exitCode = undefined;
    process.chdir(before);
    vi.restoreAllMocks();
  }
}
