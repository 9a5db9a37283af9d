import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Docker waits 10 s; allow more time on a busy machine. */
const MAX_END_MS = 300_000;

export interface Place {
  folder: string;
  /** The complete environment: nothing is inherited from this process. */
  env: Readonly<Record<string, string>>;
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command until it exits, whatever its exit code. */
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
 * Runs a command until it exits, and returns its output.
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
  /** The first group that `ready` matched. */
  found: string;
  /** Stops it as a supervisor does, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Sends a signal to the process itself, and returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a command that keeps running, and waits until it is ready.
 *
 * @param ready a pattern to look for in its output on both channels, whose first group becomes `found`; or a
 *   promise that is fulfilled as soon as the command is ready
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
      // npx and what it started are one process group.
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
