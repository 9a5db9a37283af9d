import type { Result } from '../result.ts';
import type { Output } from './output.ts';

export interface Progress {
  begin(): void;
  add(result: Result): void;
  /** Removes the progress line. */
  end(): void;
}

/** How often the seconds are written anew, in milliseconds. */
const TICK = 500;

/** Keeps the progress line of a terminal up to date; elsewhere it does nothing. */
export function createProgress({ progress }: Output): Progress {
  const counts = { checks: 0, failed: 0 };
  let started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const seconds = Math.round((performance.now() - started) / 1000);
    progress?.(`${counts.checks} checks, ${counts.failed} failed, ${seconds} s`);
  };
  return {
    begin() {
      if (progress === undefined) return;
      started = performance.now();
      timer = setInterval(draw, TICK);
      draw();
    },
    add({ outcome }) {
      counts.checks += 1;
      if (outcome === 'fail') counts.failed += 1;
      if (timer) draw();
    },
    end() {
      clearInterval(timer);
      progress?.('');
    },
  };
}
