import type { ServerResponse } from 'node:http';
import { GatewayError } from '@berth/server-stubs';
import type { Service } from './registry/service-registry.ts';

const PAUSE_MILLISECONDS = 100;

/** Codes of a service that may be about to start. */
const STARTING: readonly string[] = ['SERVICE_NOT_READY', 'SERVICE_ENDPOINT_NOT_FOUND'];

/** The calls that wait for a service to start. They count towards its `maxCalls`. */
export class Starts {
  readonly #now: () => number;
  waiting = 0;
  readonly #byService = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Repeats the attempts of a call until one succeeds, or until the service has had its time to start. An attempt
   * must not fail with one of the codes above if it has sent anything.
   */
  async wait<T>(
    { env, name, startSeconds = 0, maxCalls = Infinity }: Service,
    response: ServerResponse,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const key = `${env}/${name}`;
    const until = this.#now() + startSeconds * 1000;
    let isWaiting = false;
    try {
      for (;;) {
        try {
          return await attempt();
        } catch (cause) {
          if (!isStarting(cause) || response.destroyed) throw cause;
          if (this.#now() >= until) throw new GatewayError('SERVICE_NOT_READY', { cause });
        }
        if (!isWaiting) {
          if ((this.#byService.get(key) ?? 0) >= maxCalls) {
            throw new GatewayError('EXCEED_RATELIMIT');
          }
          this.#count(key, 1);
          isWaiting = true;
        }
        await pause(response);
      }
    } finally {
      if (isWaiting) this.#count(key, -1);
    }
  }

  #count(key: string, change: number): void {
    this.waiting += change;
    const count = (this.#byService.get(key) ?? 0) + change;
    if (count === 0) this.#byService.delete(key);
    else this.#byService.set(key, count);
  }
}

function isStarting(error: unknown): boolean {
  return error instanceof GatewayError && STARTING.includes(error.code);
}

/** Ends early if the caller disconnects. */
function pause(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PAUSE_MILLISECONDS);
  response.once('close', resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    response.off('close', resolve);
  });
}
