import { type Options, SingleBar } from 'cli-progress';
import { mapLimit } from '../batches.ts';
import { isBerthError } from '../errors.ts';
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

/** What became of a file. */
interface Outcome {
  readonly file: string;
  /** What to print: an ID, a path or a link. Default: nothing. */
  readonly result?: string | undefined;
  /** What to print with `--json`. */
  readonly details?: object;
  readonly error?: unknown;
}

/**
 * Works on a few files at a time, and prints the outcome of each in order. A failure does not affect the others.
 *
 * @param failed what happened to the files that failed: `were not deleted`
 * @throws Failure if any file failed
 */
export async function forEachFile<Named extends Item>(
  files: readonly Named[],
  options: CommandOptions,
  failed: string,
  work: (
    item: Named,
    onProgress: (progress: Progress) => void,
  ) => Promise<Omit<Outcome, keyof Item>>,
): Promise<void> {
  const bar = createProgress(files, options);
  const outcomes = await mapLimit(files, async (item): Promise<Outcome> => {
    const { file } = item;
    try {
      return { file, ...(await work(item, (progress) => bar.set(file, progress))) };
    } catch (error) {
      return { file, error };
    }
  });
  bar.stop();
  report(outcomes, options, failed);
}

/** Prints results to stdout and errors to stderr, or everything as one JSON document. */
function report(outcomes: readonly Outcome[], { json }: CommandOptions, failed: string): void {
  const errors = outcomes.map(({ error }) => error).filter((error) => error !== undefined);
  if (json) {
    const files = outcomes.map(({ file, details, error }) =>
      error === undefined ? { file, ...details } : { file, error: toPlainError(error) },
    );
    process.stdout.write(`${JSON.stringify({ files })}\n`);
    if (errors.length > 0) process.exitCode = 1;
    return;
  }
  for (const { file, result, error } of outcomes) {
    if (result !== undefined) process.stdout.write(`${result}\n`);
    if (error === undefined || error === STOPPED) continue;
    process.stderr.write(`berth: ${file}: ${toMessage(error)}\n`);
  }
  if (errors.includes(STOPPED)) throw STOPPED;
  if (errors.length > 0) throw new Failure(`${errors.length} of ${outcomes.length} ${failed}.`, 1);
}

/** Returns an error as JSON shows it. */
export function toPlainError(error: unknown): object {
  const message = toMessage(error);
  if (!isBerthError(error)) return { message };
  const { kind, code, status, requestId } = error;
  return { kind, message, code, status, requestId };
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Creates a progress bar on stderr, if that is a terminal. It appears when the first bytes are transferred. */
function createProgress(files: readonly Item[], { quiet, json }: CommandOptions) {
  const { stderr, env } = process;
  const isShown = stderr.isTTY && env.TERM !== 'dumb' && !quiet && !json;
  const bar = isShown ? new SingleBar({ ...BAR, stream: stderr }) : undefined;
  const states = new Map(files.map(({ file, size = 0 }) => [file, { loaded: 0, total: size }]));
  const sumOf = (name: 'loaded' | 'total') =>
    [...states.values()].reduce((sum, state) => sum + state[name], 0);
  return {
    /** Sets how much of a file is done. Another attempt starts at 0. */
    set(file: string, { loaded, total = loaded }: Progress) {
      states.set(file, { loaded, total });
      const bytes = sumOf('total');
      if (!bar || bytes === 0) return;
      if (!bar.isActive) bar.start(bytes, 0);
      bar.setTotal(bytes);
      bar.update(sumOf('loaded'));
    },
    stop: () => bar?.stop(),
  };
}

const BAR: Options = {
  format: '{bar} {percentage}%  {value} of {total}  {eta_formatted} left',
  barCompleteChar: '#',
  barIncompleteChar: '-',
  hideCursor: true,
  clearOnComplete: true,
  formatValue: (value, _, type) =>
    type === 'value' || type === 'total' ? `${(value / 1e6).toFixed(1)} MB` : `${value}`,
};
