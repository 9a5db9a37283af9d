import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { createScrubber } from './create-scrubber.ts';

const DEPTH = 5;

/** Maximum number of lines waiting for a reader of standard output; further lines are dropped. */
const MAX_PENDING_BYTES = 1024 * 1024;

/** How long the process waits for that reader before it exits. */
const FLUSH_MILLISECONDS = 1000;

export type Log = Logger;

interface LogOptions {
  readonly level: Level | 'silent';
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream | undefined;
}

export type ServerLog = ReturnType<typeof createLog>;

/** Creates a server's log: one line of JSON per entry, without secrets. */
export function createLog({ level, secrets, destination }: LogOptions) {
  const scrub = createScrubber(secrets);
  let dropped = 0;
  let reported = 0;
  /** Never waits: a pipe or socket that nobody reads must not block the server. */
  const stdout: DestinationStream = {
    write(line) {
      if (process.stdout.writableLength <= MAX_PENDING_BYTES) {
        process.stdout.write(line);
        return;
      }
      if (dropped === reported) process.stdout.once('drain', report);
      dropped += 1;
    },
  };
  const report = () => {
    log.warn({ dropped: dropped - reported }, 'dropped log lines');
    reported = dropped;
  };
  if (destination === undefined && !process.stdout.listeners('error').includes(ignoreBrokenPipe)) {
    process.stdout.on('error', ignoreBrokenPipe);
  }
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toPlainError },
      hooks: { streamWrite: scrub },
    },
    destination ?? stdout,
  );
  return {
    log,
    get dropped() {
      return dropped;
    },
    /** Waits until all lines so far have been read, but at most one second. */
    async flush(): Promise<void> {
      if (destination !== undefined) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, FLUSH_MILLISECONDS);
        process.stdout.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
    update(next: Level | 'silent', nextSecrets: readonly string[]): void {
      log.level = next;
      scrub.update(nextSecrets);
    },
  };
}

/** The reader may close the pipe early, as `| head` does. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

interface PlainError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: PlainError;
}

/**
 * Error properties that are logged. Others are omitted, because libraries attach requests, headers and
 * credentials to their errors.
 */
function toPlainError(error: unknown, depth = DEPTH): PlainError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth > 0 && { cause: toPlainError(cause, depth - 1) }),
  };
}
