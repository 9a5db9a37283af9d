import { type Options, SingleBar } from 'cli-progress';
import type { CommonOptions } from './output.ts';

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
