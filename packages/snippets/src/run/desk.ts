import { type ChildProcess, spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { READY } from '../shell/what-runs.ts';

const PRELOAD = new URL('preload.ts', import.meta.url);
/** Ends a command that hangs. A run of the suite takes 8 s, and minutes on a busy machine. */
const LONGEST_MS = 600_000;

/** Prints a shell's variables, exported or not, except those that cannot be set. */
const VARIABLES = "set | grep -vE '^(BASH[A-Z_]*|EUID|PPID|SHELLOPTS|UID)='";

export type Ran = { code: number | null; printed: string };

/**
 * An environment in which to run the commands on a page: a folder, a shell that keeps its working
 * directory and variables, and servers that keep running.
 */
export class Desk {
  readonly #folder: string;
  readonly #groups = new Set<ChildProcess>();
  readonly #env: NodeJS.ProcessEnv;

  /**
   * @param folder - empty folder, below one with the `node_modules` and `commands` for the pages
   */
  constructor(folder: string, commands: string) {
    this.#folder = folder;
    for (const name of ['ports', 'home', 'work'])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'cwd'), join(realpathSync(folder), 'work'));
    writeFileSync(join(folder, 'env'), '');
    const { PATH, LANG, NODE_COMPILE_CACHE } = process.env;
    this.#env = {
      ...{ LANG, NODE_COMPILE_CACHE },
      HOME: join(folder, 'home'),
      NO_COLOR: '1',
      NODE_OPTIONS: `--import=${PRELOAD}`,
      PAGE_PORTS: join(folder, 'ports'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      PATH: `${commands}:${PATH}`,
    };
  }

  /** Writes a file from a page, relative to the folder that the reader is in by now. */
  put(name: string, text: string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** The absolute path of a file, relative to the folder that the reader is in by now. */
  path(name: string): string {
    return join(readFileSync(join(this.#folder, 'cwd'), 'utf8').trim(), name);
  }

  /** Types a command and waits until it exits. */
  async run(command: string): Promise<Ran> {
    const child = this.#type(`${command}\n`);
    let printed = '';
    child.stdout?.on('data', (text) => (printed += text));
    child.stderr?.on('data', (text) => (printed += text));
    const clock = setTimeout(() => end(child), LONGEST_MS);
    // Background processes keep the pipes open.
    const over = isBackground(command) ? 'exit' : 'close';
    const code = await new Promise<number | null>((resolve) => child.on(over, resolve));
    clearTimeout(clock);
    return { code, printed: this.#toPagePorts(printed) };
  }

  /**
   * Types a command that runs until it is stopped, and waits until it is ready.
   *
   * @param ready - what it prints when it is ready, or `listens` if it prints nothing
   */
  async serve(command: string, ready: RegExp | 'listens' = READY): Promise<Ran> {
    const child = this.#type(command);
    const clock = setTimeout(() => end(child), LONGEST_MS);
    const watcher = watch(join(this.#folder, 'ports'));
    let printed = '';
    const code = await new Promise<number>((resolve) => {
      const hear = (text: string) => {
        printed += text;
        if (ready !== 'listens' && ready.test(printed)) resolve(0);
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      child.on('exit', (status) => resolve(status ?? 1));
      if (ready === 'listens') watcher.on('change', () => resolve(0));
    });
    clearTimeout(clock);
    watcher.close();
    return { code, printed: this.#toPagePorts(printed) };
  }

  /** Whether a program that the page started listens on a port. */
  listens(port: number): boolean {
    return readdirSync(join(this.#folder, 'ports')).includes(String(port));
  }

  /** The free port that represents a port on the page. */
  port(port: number): number {
    return Number(readFileSync(join(this.#folder, 'ports', String(port)), 'utf8'));
  }

  /** Stops everything that the page started. */
  close(): void {
    for (const child of this.#groups) end(child);
    this.#groups.clear();
    const ports = join(this.#folder, 'ports');
    for (const port of readdirSync(ports)) rmSync(join(ports, port));
  }

  #type(command: string): ChildProcess {
    const [cwd, env] = ['cwd', 'env'].map((name) => join(this.#folder, name));
    const save = `pwd > '${cwd}'; { ${VARIABLES}; export -p; } > '${env}'`;
    const script = `cd "$(cat '${cwd}')"\n. '${env}'\ntrap "${save}" EXIT\n`;
    const child = spawn('sh', ['-c', script + command], {
      cwd: this.#folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.setEncoding('utf8');
    child.stderr?.setEncoding('utf8');
    this.#groups.add(child);
    return child;
  }

  #toPagePorts(printed: string): string {
    const folder = join(this.#folder, 'ports');
    return readdirSync(folder).reduce(
      (text, port) => text.replaceAll(`:${readFileSync(join(folder, port), 'utf8')}`, `:${port}`),
      printed,
    );
  }
}

/** Returns whether a command leaves a process running in the background. */
export function isBackground(command: string): boolean {
  return /[^&]&\s*$/.test(command);
}

/** Kills a process group, because a server may have been put into the background. */
function end({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), 'SIGKILL');
  } catch {
    // It has already exited.
  }
}
