import { pipeline } from 'node:stream/promises';
import { SingleBar } from 'cli-progress';
import { mapLimit } from '../batches.ts';
import { type AnyBerthError, isBerthError } from '../errors.ts';
import type { Progress } from '../transfer.ts';

/** Options of every command, and the signal that stops it. */
export interface CommandOptions {
  readonly json?: true;
  readonly quiet?: true;
  readonly signal: AbortSignal;
}

/** An expected failure, which ends the command. Its message is one sentence. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 if the command failed, 2 if its input or settings are wrong */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Why everything is aborted after SIGINT or SIGTERM. */
export const STOPPED = new Failure('Stopped.', 1);

interface Item {
  /** The file, as the user named it. */
  readonly file: string;
  /** In bytes, if it is known. */
  readonly size?: number | undefined;
}

/** The result for one file. */
interface Result {
  readonly file: string;
  /** Printed with `--json`. */
  readonly details?: Details;
  readonly error?: unknown;
}

type Details = Readonly<Record<string, string | undefined>>;

interface Wording {
  /** What happened to the files that failed: `were not deleted`. */
  readonly failed: string;
  /** Name of the detail that is printed without `--json`. Default: none. */
  readonly shown?: string | undefined;
}

/**
 * Processes a few files at a time, and prints the result for each in order. A failure does not affect the others.
 *
 * @throws Failure if any file failed
 */
export async function forEachFile<File extends Item>(
  files: readonly File[],
  options: CommandOptions,
  { failed, shown }: Wording,
  work: (item: File, onProgress: (progress: Progress) => void) => Promise<Details>,
): Promise<void> {
  const bar = createProgress(files, options);
  const results = await mapLimit(files, async (item): Promise<Result> => {
    const { file } = item;
    try {
      return { file, details: await work(item, (progress) => bar.set(file, progress)) };
    } catch (error) {
      return { file, error };
    }
  });
  bar.stop();
  const errors = results.flatMap(({ error }) => error ?? []);
  if (options.json) {
    printJson({
      files: results.map(({ file, details, error }) =>
        error ? { file, ...toJson(error) } : { file, ...details },
      ),
    });
    if (errors.length > 0) process.exitCode = 1;
    return;
  }
  for (const { file, details, error } of results) {
    if (!error && shown) process.stdout.write(`${details?.[shown]}\n`);
    if (error && error !== STOPPED) process.stderr.write(`berth: ${file}: ${toMessage(error)}\n`);
  }
  if (errors.includes(STOPPED)) throw STOPPED;
  if (errors.length > 0) throw new Failure(`${errors.length} of ${files.length} ${failed}.`, 1);
}

/** Creates a progress bar on stderr, if that is a terminal. It appears when the first bytes are transferred. */
function createProgress(files: readonly Item[], { quiet, json }: CommandOptions) {
  const { stderr, env } = process;
  const isShown = stderr.isTTY && env.TERM !== 'dumb' && !quiet && !json;
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value} of {total}  {eta_formatted} left',
    formatValue: (value, _, type) =>
      type === 'value' || type === 'total' ? `${(value / 1e6).toFixed(1)} MB` : `${value}`,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    hideCursor: true,
    clearOnComplete: true,
    stream: stderr,
  });
  const states = new Map(files.map(({ file, size = 0 }) => [file, { loaded: 0, total: size }]));
  return {
    /** Sets how much of a file is done. Another attempt starts at 0. */
    set(file: string, { loaded, total = loaded }: Progress) {
      states.set(file, { loaded, total });
      const sum = { loaded: 0, total: 0 };
      for (const state of states.values()) {
        sum.loaded += state.loaded;
        sum.total += state.total;
      }
      if (!isShown || sum.total === 0) return;
      if (!bar.isActive) bar.start(sum.total, 0);
      bar.setTotal(sum.total);
      bar.update(sum.loaded);
    },
    stop: () => bar.stop(),
  };
}

/** Prints why the command ended, and sets the exit code. An unknown error is a bug, so its stack is shown. */
export function fail(error: unknown, isJson: boolean): void {
  process.exitCode = isBerthError(error, 'options') ? 2 : 1;
  if (error instanceof Failure) process.exitCode = error.exitCode;
  const isKnown = error instanceof Failure || isBerthError(error) || 'code' in (error as object);
  const { stack } = error as Error;
  if (isJson) printJson(toJson(error));
  else process.stderr.write(`berth: ${isKnown ? toMessage(error) : stack}\n`);
}

/** Writes chunks to stdout as they arrive. */
export function write(chunks: AsyncIterable<Uint8Array | string> | [], signal: AbortSignal) {
  return pipeline(chunks, process.stdout, { signal, end: false });
}

export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function toJson(error: unknown) {
  const { kind, code, status, requestId } = (
    isBerthError(error) ? error : {}
  ) as Partial<AnyBerthError>;
  return { error: { kind, message: toMessage(error), code, status, requestId } };
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
