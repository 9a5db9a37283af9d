import { pipeline } from 'node:stream/promises';
import { SingleBar } from 'cli-progress';
import { mapConcurrently } from '../batches.ts';
import { isBerthError } from '../errors.ts';
import type { Progress } from '../transfer.ts';

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
  readonly file: string;
  readonly size?: number | undefined;
}

/**
 * Processes a few files at a time, and prints what `work` returns for each, in order. A failure does not affect the
 * others.
 *
 * @param failed what happened to the files that failed: `were not deleted`
 * @throws Failure if any file failed
 */
export async function forEachFile<File extends Item>(
  files: readonly File[],
  failed: string,
  work: (item: File, onProgress: (progress: Progress) => void) => Promise<string | undefined>,
): Promise<void> {
  const bar = createProgress(files);
  const results = await mapConcurrently(files, async (item) => {
    try {
      return { line: await work(item, (progress) => bar.set(item.file, progress)) };
    } catch (error) {
      return { error };
    }
  });
  bar.stop();
  for (const [index, { line, error }] of results.entries()) {
    if (line !== undefined) process.stdout.write(`${line}\n`);
    if (error && error !== STOPPED) {
      process.stderr.write(`berth: ${files[index]?.file}: ${toMessage(error)}\n`);
    }
  }
  const errors = results.flatMap(({ error }) => error ?? []);
  if (errors.includes(STOPPED)) throw STOPPED;
  if (errors.length > 0) throw new Failure(`${errors.length} of ${files.length} ${failed}.`, 1);
}

/** Creates a progress bar on stderr, if that is a terminal. It appears when the first bytes are transferred. */
function createProgress(files: readonly Item[]) {
  const { stderr, env } = process;
  const isShown = stderr.isTTY && env.TERM !== 'dumb';
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
  const sum = { loaded: 0, total: files.reduce((total, { size = 0 }) => total + size, 0) };
  return {
    /** Sets how much of a file is done. Another attempt starts at 0. */
    set(file: string, { loaded, total = loaded }: Progress) {
      const before = states.get(file) ?? { loaded: 0, total: 0 };
      states.set(file, { loaded, total });
      sum.loaded += loaded - before.loaded;
      sum.total += total - before.total;
      if (!isShown || sum.total === 0) return;
      if (!bar.isActive) bar.start(sum.total, 0);
      bar.setTotal(sum.total);
      bar.update(sum.loaded);
    },
    stop: () => bar.stop(),
  };
}

/** Prints why the command ended, and sets the exit code. An unknown error is a bug, so its stack is shown. */
export function fail(error: unknown): void {
  process.exitCode = isBerthError(error, 'options') ? 2 : 1;
  if (error instanceof Failure) process.exitCode = error.exitCode;
  const isKnown = error instanceof Failure || isBerthError(error) || 'code' in (error as object);
  const text = isKnown ? toMessage(error) : (error as Error).stack;
  process.stderr.write(`berth: ${text}\n`);
}

export function write(chunks: AsyncIterable<Uint8Array> | [], signal: AbortSignal) {
  return pipeline(chunks, process.stdout, { signal, end: false });
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
