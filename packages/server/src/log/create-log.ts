import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { createScrubber } from './create-scrubber.ts';
import { toPlainError } from './to-plain-error.ts';

export type Log = Logger;

export interface LogOptions {
  readonly level: Level | 'silent';
  /** Never to be written, wherever they stand. */
  readonly secrets: readonly string[];
  /** Default: standard output. */
  readonly destination?: DestinationStream | undefined;
}

export interface ServerLog {
  readonly log: Log;
  update(level: Level | 'silent', secrets: readonly string[]): void;
}

/** Makes the log of a server: a line of JSON for each entry, without secrets. */
export function createLog({ level, secrets, destination }: LogOptions): ServerLog {
  const scrub = createScrubber(secrets);
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toPlainError },
      hooks: { streamWrite: scrub },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  return {
    log,
    update(next, nextSecrets) {
      log.level = next;
      scrub.update(nextSecrets);
    },
  };
}
