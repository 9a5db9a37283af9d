import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { StartError } from '../result.ts';

/**
 * What a driver is asked to do with its client, as a line of JSON on stdin. The guide for client conformance
 * explains each task.
 */
export type Task =
  | {
      task: 'call';
      method: 'GET' | 'POST';
      service: string;
      /** As the caller of a client writes it, including the query. Empty for the root of the service. */
      path: string;
      body?: unknown;
      /** `bearer` is the token, `key` a signature with the key pair. */
      auth: 'bearer' | 'key';
    }
  | { task: 'events'; service: string; path: string; count: number }
  | { task: 'upload'; path: string; content: string }
  | { task: 'download'; fileID: string }
  | { task: 'links' | 'delete'; fileIDs: readonly string[] }
  | { task: 'copy' | 'move'; files: readonly { srcPath: string; dstPath: string }[] };

/** An error that the client reports. All fields are optional. */
export interface TaskError {
  code?: string;
  status?: number;
  requestId?: string;
  message?: string;
}

/** What the driver reports, as a line of JSON on stdout. */
export type TaskReply =
  | { result: Readonly<Record<string, unknown>>; error?: undefined; unsupported?: undefined }
  | { error: TaskError; result?: undefined; unsupported?: undefined }
  | { unsupported: true; result?: undefined; error?: undefined };

/** Thrown if the driver does not follow the protocol. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Maximum length of a line that a driver prints, in bytes. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** How long a driver may take to exit after its stdin was closed, in milliseconds. */
const GRACE = 1_000;

/** Thrown if the driver exits, hangs or floods stdout. The message says what it did. */
export class DriverFailure extends Error {
  override readonly name = 'DriverFailure';
}

/** Signals that end this process. The driver does not get them, because it has a process group of its own. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A client that does one task at a time. */
export interface Driver {
  /**
   * Sends a task and returns the result. After a failure, the next task starts the command again.
   *
   * @param limit how long the task may take, in milliseconds
   * @throws DriverFailure, or ProtocolError for a line that is not a result
   * @throws StartError if the command has never returned a result
   */
  send(task: Task, limit: number): Promise<TaskReply>;
  /** Ends the process and all of its children. */
  close(): Promise<void>;
}

/** Creates a driver, whose command is started for the first task. Its stderr is passed to ours. */
export function createDriver(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Driver {
  let running: Running | undefined;
  let id = 0;
  let hasWorked = false;
  const end = async (grace: number) => {
    await running?.end(grace);
    running = undefined;
  };
  return {
    async send(task, limit) {
      running ??= start(command, env);
      id += 1;
      try {
        const line = await running.ask(JSON.stringify({ id, ...task }), limit, signal);
        const reply = parseReply(line, id);
        hasWorked = true;
        return reply;
      } catch (error) {
        await end(0);
        if (hasWorked || signal.aborted || !(error instanceof DriverFailure)) throw error;
        const reason = `The command ${command[0]} cannot be used as a driver: ${error.message}.`;
        throw new StartError(reason);
      }
    },
    close: () => end(GRACE),
  };
}

interface Running {
  ask(line: string, limit: number, signal: AbortSignal): Promise<string>;
  end(grace: number): Promise<void>;
}

function start(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Running {
  const isWindows = process.platform === 'win32';
  let pid: number | undefined;
  const kill = () => killTree(pid, isWindows);
  const onSignal = (signal: NodeJS.Signals) => {
    kill();
    // Without another listener, the signal ends this process, too.
    stopListening();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const stopListening = () => {
    process.off('exit', kill);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  // Listens first, so that no signal ends this process alone once the driver runs.
  process.on('exit', kill);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // Its own process group, so that its children can be ended as well.
  const child = spawn(program, args, {
    env,
    detached: !isWindows,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  ({ pid } = child);
  let ended: string | undefined;
  let settle: { line(text: string): void; fail(reason: string): void } | undefined;
  const fail = (reason: string) => {
    ended ??= reason;
    settle?.fail(reason);
  };
  child.on('error', ({ message }) => fail(`it could not be started (${message})`));
  child.on('close', (code, by) => {
    stopListening();
    fail(`it exited with ${by === null ? `code ${code}` : by}`);
  });
  // Writing to a driver that has exited: `close` reports it.
  child.stdin.on('error', () => {});
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const asked = settle;
      settle = undefined;
      if (asked) asked.line(line.replace(/\r$/, ''));
      else fail(`it printed a line without a task: ${cut(line)}`);
    }
    if (rest.length <= LONGEST_LINE) return;
    fail(`it printed a line of more than ${LONGEST_LINE} bytes`);
    child.stdout.destroy();
  });
  return {
    async ask(line, limit, signal) {
      if (ended !== undefined) throw new DriverFailure(ended);
      const promise = new Promise<string>((resolve, reject) => {
        settle = { line: resolve, fail: (reason) => reject(new DriverFailure(reason)) };
      });
      const timer = setTimeout(() => fail(`it returned no result within ${limit} ms`), limit);
      const interrupt = () => fail('the run was interrupted');
      signal.addEventListener('abort', interrupt, { once: true });
      child.stdin.write(`${line}\n`);
      try {
        return await promise;
      } finally {
        settle = undefined;
        clearTimeout(timer);
        signal.removeEventListener('abort', interrupt);
      }
    },
    async end(grace) {
      const isRunning = child.exitCode === null && child.signalCode === null && child.pid;
      const exited = isRunning ? once(child, 'exit') : undefined;
      child.stdin.end();
      const timer = setTimeout(kill, grace);
      await exited;
      clearTimeout(timer);
      // Its children may still run.
      kill();
      stopListening();
      child.stdout.destroy();
    },
  };
}

/** Kills a process and everything that it has started. */
function killTree(pid: number | undefined, isWindows: boolean): void {
  if (pid === undefined) return;
  if (isWindows) {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/**
 * Parses a line that a driver printed.
 *
 * @throws ProtocolError that explains what is wrong with the line
 */
function parseReply(line: string, id: number): TaskReply {
  let reply: Record<string, unknown>;
  try {
    reply = Object(JSON.parse(line));
  } catch {
    throw new ProtocolError(
      `the driver printed a line that is not JSON: ${cut(line)} (print logs to stderr)`,
    );
  }
  if (reply.id !== id) {
    throw new ProtocolError(`the id of the result must be ${id}: ${cut(line)}`);
  }
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null;
  const kinds = ['result', 'error', 'unsupported'].filter((kind) => reply[kind] !== undefined);
  const [kind = ''] = kinds;
  const isValid = kind === 'unsupported' ? reply.unsupported === true : isRecord(reply[kind]);
  if (kinds.length === 1 && isValid) return { [kind]: reply[kind] } as unknown as TaskReply;
  throw new ProtocolError(
    `a result must have a result object, an error object, or "unsupported": true: ${cut(line)}`,
  );
}

/** Shortens a text that is shown. */
export function cut(text: string, length = 300): string {
  return text.length > length ? `${text.slice(0, length)} …` : text;
}
