import { GatewayError } from '@berth/server-stubs';
import type { HeadersTimers } from './headers-timers.ts';

/** What the time ends. */
interface Abortable {
  abort(error: Error): void;
}

/**
 * The time that a service has until its response headers. It begins anew with each piece of the body, so
 * that a slow caller is not taken for a slow service, and never runs once an answer has begun.
 */
export class HeadersTimer {
  due = Infinity;
  readonly #timers: HeadersTimers;
  #attempt: Abortable | undefined;

  constructor(timers: HeadersTimers) {
    this.#timers = timers;
  }

  start(attempt: Abortable): void {
    this.#attempt = attempt;
    this.due = this.#timers.add(this);
  }

  readonly refresh = (): void => {
    this.due = this.#timers.due;
  };

  stop(): void {
    this.#timers.delete(this);
  }

  expire(): void {
    this.#attempt?.abort(new GatewayError('SERVICE_TIMEOUT'));
  }
}
