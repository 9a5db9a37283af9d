import { setTimeout as wait } from 'node:timers/promises';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * Values under these names are not logged. This is the second line of defense: nothing passes a secret to the log, and
 * errors are logged without what libraries attach to them.
 */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'secretAccessKey',
  'sign',
  'signature',
  'token',
];

export function createLog(level: Level | 'silent', destination: DestinationStream): Log {
  const log: Log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toPlainError },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      hooks: { streamWrite: escapeControls },
    },
    destination === process.stdout
      ? toStandardOutput((dropped) => log.warn({ dropped }, 'dropped log lines'))
      : destination,
  );
  return log;
}

const MAX_PENDING_BYTES = 1024 * 1024;

/**
 * Never waits: a pipe that nobody reads must not block the server.
 * @param onDrop called with the number of dropped lines when lines can be written again
 */
function toStandardOutput(onDrop: (lines: number) => void): DestinationStream {
  const { stdout } = process;
  allowBrokenPipe(stdout);
  let dropped = 0;
  const report = () => {
    const lines = dropped;
    dropped = 0;
    onDrop(lines);
  };
  return {
    write(line) {
      if (stdout.writableLength <= MAX_PENDING_BYTES) return void stdout.write(line);
      if (dropped === 0) stdout.once('drain', report);
      dropped += 1;
    },
  };
}

export function allowBrokenPipe(stream: NodeJS.WriteStream): void {
  if (!stream.listeners('error').includes(ignoreBrokenPipe)) stream.on('error', ignoreBrokenPipe);
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

const FLUSH_MILLISECONDS = 1000;

/** Waits until standard output has been read, but at most one second. */
export async function flushLog(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdout.write('', () => resolve());
  await Promise.race([promise, wait(FLUSH_MILLISECONDS)]);
}

const MAX_CAUSES = 5;

/** The error properties that are logged. Libraries attach requests, headers and credentials to their errors. */
function toPlainError(error: unknown, causes = MAX_CAUSES): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causes > 0 && { cause: toPlainError(cause, causes - 1) }),
  };
}

/** Control characters that terminals interpret and JSON does not escape. */
const CONTROLS = /[\x7f-\x9f\u2028\u2029]/g;

function escapeControls(line: string): string {
  return line.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
