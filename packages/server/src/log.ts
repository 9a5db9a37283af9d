import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { allowBrokenPipe } from './broken-pipe.ts';

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

export function createLog(level: Level | 'silent', destination?: DestinationStream): Log {
  const stdout = destination === undefined ? new StandardOutput() : undefined;
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toPlainError },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      hooks: { streamWrite: escapeControls },
    },
    destination ?? stdout,
  );
  stdout?.onDrop((dropped) => log.warn({ dropped }, 'dropped log lines'));
  return log;
}

const FLUSH_MILLISECONDS = 1000;

/** Waits until standard output has been read, but at most one second. */
export async function flushLog(): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, FLUSH_MILLISECONDS);
    process.stdout.write('', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const MAX_PENDING_BYTES = 1024 * 1024;

/** Never waits: a pipe that nobody reads must not block the server. */
class StandardOutput implements DestinationStream {
  #dropped = 0;
  #report: (dropped: number) => void = () => {};

  constructor() {
    allowBrokenPipe(process.stdout);
  }

  /** @param report called when lines can be written again */
  onDrop(report: (dropped: number) => void): void {
    this.#report = report;
  }

  write(line: string): void {
    if (process.stdout.writableLength <= MAX_PENDING_BYTES) {
      process.stdout.write(line);
      return;
    }
    if (this.#dropped === 0) process.stdout.once('drain', this.#onDrain);
    this.#dropped += 1;
  }

  readonly #onDrain = () => {
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#report(dropped);
  };
}

interface PlainError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: PlainError;
}

const MAX_CAUSES = 5;

/**
 * Error properties that are logged. Others are omitted, because libraries attach requests, headers and
 * credentials to their errors.
 */
function toPlainError(error: unknown, causes = MAX_CAUSES): PlainError {
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

/** Characters that terminals or other readers of lines act on, and that JSON leaves as they are. */
const CONTROLS = /[\x7f-\x9f\u2028\u2029]/g;

function escapeControls(line: string): string {
  return line.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
