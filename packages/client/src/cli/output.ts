import { getSystemErrorMessage } from 'node:util';
import { SingleBar } from 'cli-progress';
import type { Progress } from '../call-options.ts';
import { isBerthError } from '../errors.ts';

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

/** Creates a progress bar on stderr, if that is a terminal. It appears when the first bytes are transferred. */
export function createProgress(size = 0) {
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
  let done = 0;
  let sum = size;
  return {
    /** Returns the function that shows how much of a file is done. Another attempt starts at 0. */
    createReporter(expected = 0) {
      let before = { loaded: 0, total: expected };
      return ({ loaded, total = loaded }: Progress) => {
        done += loaded - before.loaded;
        sum += total - before.total;
        before = { loaded, total };
        if (!isShown || sum === 0) return;
        if (!bar.isActive) bar.start(sum, 0);
        bar.setTotal(sum);
        bar.update(done);
      };
    },
    stop: () => bar.stop(),
  };
}

/** Prints why the command ended, and sets the exit code. An unknown error is a bug, so its stack is shown. */
export function fail(error: unknown): void {
  process.exitCode = isBerthError(error, 'options') ? 2 : 1;
  if (error instanceof Failure) process.exitCode = error.exitCode;
  const { errno, path, stack } = error as NodeJS.ErrnoException;
  const isKnown = error instanceof Failure || isBerthError(error) || errno !== undefined;
  const file = errno === undefined || path === undefined ? '' : `Cannot use ${path}: `;
  const isMissing = isBerthError(error, 'storage') && error.code === 'STORAGE_FILE_NONEXIST';
  const hint = isMissing
    ? '. If it is a folder, specify its files, because folders cannot be listed.'
    : '';
  process.stderr.write(`berth: ${file}${isKnown ? toMessage(error) : stack}${hint}\n`);
}

/** Returns the message of an error. For a system error, only the description. */
export function toMessage(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}

/** @throws Failure that says which file of the user cannot be read, and why */
export function throwUnreadable(file: string, error: unknown): never {
  throw new Failure(`Cannot read ${file}: ${toMessage(error)}.`, 2);
}
