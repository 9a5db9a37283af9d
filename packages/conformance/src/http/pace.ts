import timers from 'node:timers/promises';
import { NetworkError } from './connection.ts';

/** The longest wait after a 429, and the first one if the target does not say how long, in milliseconds. */
const MAX_RETRY_WAIT = 30_000;
const FIRST_WAIT = 500;
const MAX_RETRIES = 6;
/** A target that fails to respond this many times in a row is not called again. */
const MAX_NO_RESPONSES = 12;

/**
 * Decides when the calls of a run are made: no faster than the operator allows, later if a target responds with
 * 429, and not at all once a target has stopped responding.
 */
export class Pace {
  readonly #onWait: (milliseconds: number) => void;
  readonly #noResponses = new Map<string, number>();
  readonly #interval: number;
  /** When the next call may start, and the end of the wait that was announced last. */
  #next = 0;
  #announced = 0;
  /** Whether the run gave up on a call, and none has succeeded since. */
  #hasGivenUp = false;

  constructor(onWait: (milliseconds: number) => void, rate = Number.POSITIVE_INFINITY) {
    this.#onWait = onWait;
    this.#interval = 1000 / rate;
  }

  /** Waits until a call may be made; throws a NetworkError if the target has stopped responding. */
  async ready(origin: string, signal: AbortSignal, retryAt = 0): Promise<void> {
    signal.throwIfAborted();
    await waitUntil(retryAt, signal);
    const turn = Math.max(Date.now(), this.#next);
    this.#next = turn + this.#interval;
    await waitUntil(turn, signal);
    if ((this.#noResponses.get(origin) ?? 0) < MAX_NO_RESPONSES) return;
    const message = `${origin} did not respond ${MAX_NO_RESPONSES} times in a row`;
    throw new NetworkError(message, 'SILENT');
  }

  /** Gives every target another chance, at the end of a run. */
  reset(): void {
    this.#noResponses.clear();
    this.#next = 0;
    this.#hasGivenUp = false;
  }

  recordResponse(origin: string): void {
    this.#noResponses.delete(origin);
    this.#hasGivenUp = false;
  }

  recordNoResponse(origin: string): void {
    this.#noResponses.set(origin, (this.#noResponses.get(origin) ?? 0) + 1);
  }

  /** Records a 429. Only the second in a row delays all calls. Returns when to retry; `undefined` to give up. */
  slowDown(origin: string, retryAfter: string | undefined, attempt: number): number | undefined {
    this.#noResponses.delete(origin);
    this.#hasGivenUp ||= attempt >= MAX_RETRIES;
    if (this.#hasGivenUp) return undefined;
    const now = Date.now();
    const pause = Math.min(MAX_RETRY_WAIT, toMilliseconds(retryAfter) ?? FIRST_WAIT * 2 ** attempt);
    if (now >= this.#announced) {
      this.#announced = now + pause;
      this.#onWait(pause);
    }
    if (attempt > 0) this.#next = Math.max(this.#next, now + pause);
    return now + pause;
  }
}

async function waitUntil(time: number, signal: AbortSignal): Promise<void> {
  const delay = time - Date.now();
  if (delay >= 1) await timers.setTimeout(delay, undefined, { signal });
}

/** Returns `undefined` unless `Retry-After` (RFC 9110, section 10.2.3) names a time in the future. */
function toMilliseconds(retryAfter = ''): number | undefined {
  const isSeconds = /^\d+$/.test(retryAfter);
  const pause = isSeconds ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return pause > 0 ? pause : undefined;
}
