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
import { READY } from '../shell/stays-up.ts';

const PRELOAD = new URL('preload.ts', import.meta.url);
const LONGEST_MS = 60_000;

/** Prints the variables of a shell, exported or not, but for those that cannot be set. */
const VARIABLES = "set | grep -vE '^(BASH[A-Z_]*|EUID|PPID|SHELLOPTS|UID)='";

export type Ran = { code: number | null; printed: string };

/** Where one page is typed: a folder, a shell whose folder and variables last, and servers that stay up. */
export class Desk {
  readonly #folder: string;
  readonly #groups = new Set<ChildProcess>();
  readonly #env: NodeJS.ProcessEnv;

  /** @param folder - an empty one, below one with the `node_modules` and the `commands` of the pages */
  constructor(folder: string, commands: string) {
    this.#folder = folder;
    for (const name of ['ports', 'home', 'work'])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'cwd'), join(realpathSync(folder), 'work'));
    writeFileSync(join(folder, 'env'), '');
    const { PATH, LANG, NODE_COMPILE_CACHE } = process.env;
    this.#env = {
      PATH: `${commands}:${PATH}`,
      ...{ LANG, NODE_COMPILE_CACHE },
      HOME: join(folder, 'home'),
      NO_COLOR: '1',
      NODE_OPTIONS: `--import=${PRELOAD}`,
      PAGE_PORTS: join(folder, 'ports'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    };
  }

  /** Writes a file of the page, from the folder where its reader is by now. */
  put(name: string, text: string): string {
    const path = join(readFileSync(join(this.#folder, 'cwd'), 'utf8').trim(), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Types a command, and waits for its end. */
  async run(command: string): Promise<Ran> {
    const child = this.#type(`${command}\n`);
    let printed = '';
    child.stdout?.on('data', (text) => (printed += text));
    child.stderr?.on('data', (text) => (printed += text));
    const clock = setTimeout(() => end(child), LONGEST_MS);
    // What runs on in the background keeps the pipes open.
    const over = isBackground(command) ? 'exit' : 'close';
    const code = await new Promise<number | null>((resolve) => child.on(over, resolve));
    clearTimeout(clock);
    return { code, printed: this.#toPagePorts(printed) };
  }

  /**
   * Types a command that goes on until it is ended, and waits until it has begun.
   *
   * @param ready - what it prints then; or that it listens, where it says nothing
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

  /** Whether something that the page has started listens on one of its ports. */
  listens(port: number): boolean {
    return readdirSync(join(this.#folder, 'ports')).includes(String(port));
  }

  /** Ends all that the page has started. */
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

/** Whether a command leaves something running behind it. */
export function isBackground(command: string): boolean {
  return /[^&]&\s*$/.test(command);
}

/** Ends a process with all that it has started: its group, for a server may have been put into the background. */
function end({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
