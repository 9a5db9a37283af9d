import { type DestinationStream, type Level, type Logger, pino } from 'pino';

const DEPTH = 5;

const MAX_PENDING_BYTES = 1024 * 1024;

const FLUSH_MILLISECONDS = 1000;

export type Log = Logger;

interface LogOptions {
  readonly level: Level | 'silent';
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream | undefined;
}

export type ServerLog = ReturnType<typeof createLog>;

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

/** Carries a secret whatever its value: the name is kept, the value is redacted. */
const SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer\s+)[\w.~+/=-]+/gi, '$1'],
  [/(berth\.bearer\.)[\w.~+/=-]+/gi, '$1'],
  [/\b(Signature=|Token=)[^\s,"&\\]+/gi, '$1'],
  [/([?&](?:sign|signature|token|x-amz-[\w-]+)=)[^&"\s\\]+/gi, '$1'],
  // Starts at a word boundary; otherwise it would take quadratic time in the length of the line.
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, ''],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, ''],
];

const REDACTED = '[redacted]';

/** Shorter secrets would also match ordinary words and numbers. */
const SHORTEST = 6;

/**
 * Creates a function that redacts secrets anywhere in a log line: the given secrets, and everything that
 * looks like a token, a signature or a signed link.
 */
export function createScrubber(secrets: readonly string[]) {
  let known: RegExp | undefined;
  const update = (next: readonly string[]) => {
    // A line is JSON, which escapes some characters.
    const spelled = next
      .filter(({ length }) => length >= SHORTEST)
      .flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
    const texts = [...new Set(spelled)].sort((one, other) => other.length - one.length);
    known = texts.length === 0 ? undefined : new RegExp(texts.map(toPattern).join('|'), 'g');
  };
  update(secrets);
  const scrub = (text: string): string => {
    let clean = known === undefined ? text : text.replace(known, REDACTED);
    for (const [shape, kept] of SHAPES) clean = clean.replace(shape, `${kept}${REDACTED}`);
    return clean;
  };
  return Object.assign(scrub, { update });
}

/** `RegExp.escape` requires Node 24. */
function toPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
