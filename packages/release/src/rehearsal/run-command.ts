import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Docker waits 10 s; a busy machine gets longer. */
const MAX_END_MS = 60_000;

export interface Place {
  folder: string;
  /** The whole environment: nothing of this process is passed on. */
  env: Readonly<Record<string, string>>;
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, whatever that is. */
export async function tryCommand(place: Place, command: readonly string[]): Promise<Outcome> {
  const child = launch(place, command);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

/**
 * Runs a command to its end, and gives what it prints.
 *
 * @throws Error with all output if it exits with a code other than 0
 */
export async function runCommand(place: Place, command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await tryCommand(place, command);
  if (code === 0) return stdout;
  throw new Error(
    `${command.join(' ')}\nexited with code ${code} in ${place.folder}:\n${stdout}${stderr}`,
  );
}

export interface Running {
  /** What `ready` has found. */
  found: string;
  /** Ends it as a supervisor does, and gives its exit code. */
  stop(): Promise<number | null>;
  /** Sends the process itself a signal, and gives its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a command that stays up, and waits until it has said so.
 *
 * @param ready looked for in what it prints on both channels; its first group is what is `found`. Or what
 * happens elsewhere as soon as it is up.
 */
export async function startCommand(
  place: Place,
  command: readonly string[],
  ready: RegExp | Promise<unknown>,
): Promise<Running> {
  const child = launch(place, command);
  const ended = once(child, 'close');
  let output = '';
  const found = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk;
      const match = ready instanceof RegExp ? ready.exec(output) : null;
      if (match) resolve(match[1] ?? '');
    };
    if (ready instanceof Promise) ready.then(() => resolve(''), reject);
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('close', () => reject(new Error(`${command.join(' ')}\nexited:\n${output}`)));
  });
  return {
    found,
    async stop() {
      // npx and what it has started are one group.
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM');
      const [code] = await ended;
      return code;
    },
    async end(signal) {
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), MAX_END_MS);
      const [code] = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

function launch({ folder, env }: Place, [file = '', ...args]: readonly string[]) {
  return spawn(file, args, {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}
