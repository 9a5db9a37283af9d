import { GatewayError } from '@berth/server-stubs';

/** What the time ends. */
interface Abortable {
  abort(error: Error): void;
}

/**
 * The time that a service has until its response headers (D13). It begins anew with each piece of the
 * body, so that a slow caller is not taken for a slow service, and never runs once an answer has begun.
 */
export class HeadersTimer {
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  start(attempt: Abortable): void {
    this.#timer = setTimeout(expire, this.#milliseconds, attempt);
  }

  readonly refresh = (): void => {
    this.#timer?.refresh();
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function expire(attempt: Abortable): void {
  attempt.abort(new GatewayError('SERVICE_TIMEOUT'));
}
