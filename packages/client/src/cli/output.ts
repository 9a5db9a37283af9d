import { pipeline } from 'node:stream/promises';
import { type Options, SingleBar } from 'cli-progress';
import { isBerthError } from '../errors.ts';

export interface CommonOptions {
  readonly json?: true;
  readonly quiet?: true;
}

/** An expected failure that ends the command. Its message is one sentence. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 if the command failed, 2 if it could not start */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const STOPPED = new Failure('Stopped.', 1);

export interface Outcome {
  readonly file: string;
  /** What to print: the path, the ID or the link. */
  readonly result?: string | undefined;
  readonly error?: unknown;
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Prints the outcome for each file: results to stdout, errors to stderr, or everything as one JSON
 * document.
 *
 * @throws Failure if any file failed
 */
export function report(outcomes: readonly Outcome[], options: CommonOptions, what: string): void {
  const failed = outcomes.filter(({ error }) => error !== undefined);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ files: outcomes.map(toJson) })}\n`);
  } else {
    for (const { file, result, error } of outcomes) {
      if (error === STOPPED) continue;
      if (error !== undefined) process.stderr.write(`berth: ${file}: ${toMessage(error)}\n`);
      else if (result !== undefined) process.stdout.write(`${result}\n`);
    }
  }
  if (failed.length === 0) return;
  if (options.json) process.exitCode = 1;
  else if (failed.some(({ error }) => error === STOPPED)) throw STOPPED;
  else throw new Failure(`${failed.length} of ${outcomes.length} ${what}.`, 1);
}

function toJson({ file, error, more }: Outcome): object {
  return error === undefined ? { file, ...more } : { file, error: toPlainError(error) };
}

export function toPlainError(error: unknown): object {
  const message = toMessage(error);
  if (!isBerthError(error)) return { message };
  const { name, code, status, requestId } = error;
  return { name, message, code, status, requestId };
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export async function writeOut(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await pipeline(stream, process.stdout, { signal, end: false });
}

/** Tracks how many bytes parallel uploads or downloads have transferred. */
export interface Progress {
  expect(file: string, bytes: number): void;
  /** Sets how many bytes of a file are done. A new attempt starts at 0 again. */
  set(file: string, bytes: number): void;
  stop(): void;
}

type Terminal = NodeJS.WriteStream;

/**
 * Creates a plain progress bar on stderr, without colors. It is not shown with `--quiet` or `--json`, or if
 * stderr is not a terminal.
 */
export function createProgress(
  { quiet, json }: CommonOptions,
  terminal: Terminal = process.stderr,
): Progress {
  const isShown = terminal.isTTY && process.env.TERM !== 'dumb' && !quiet && !json;
  const bar = isShown ? new SingleBar(toOptions(terminal)) : undefined;
  const total = createSum();
  const done = createSum();
  return {
    expect(file, bytes) {
      total.set(file, bytes);
      if (bar?.isActive) bar.setTotal(total.value());
      else if (total.value() > 0) bar?.start(total.value(), 0);
    },
    set(file, bytes) {
      done.set(file, bytes);
      bar?.update(Math.min(done.value(), total.value()));
    },
    stop: () => bar?.stop(),
  };
}

function createSum() {
  const parts = new Map<string, number>();
  let sum = 0;
  return {
    value: () => sum,
    set(name: string, value: number) {
      sum += value - (parts.get(name) ?? 0);
      parts.set(name, value);
    },
  };
}

function toOptions(stream: Terminal): Options {
  return {
    stream,
    format: '{bar} {percentage}%  {value} of {total}  {eta_formatted} left',
    barCompleteChar: '#',
    barIncompleteChar: '-',
    hideCursor: true,
    clearOnComplete: true,
    formatValue: (value, _, type) =>
      type === 'value' || type === 'total' ? toSize(value) : String(value),
  };
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function toSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${(bytes / 1000 ** step).toFixed(step ? 1 : 0)} ${UNITS[step]}`;
}
