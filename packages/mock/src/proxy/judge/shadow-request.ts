import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { CallRecord } from '../../record/call-record.ts';
import type { RecordedRequest } from '../../record/recorded-request.ts';

/**
 * A copy of a request for a router that judges it, while the request itself goes on to the deployment.
 * What the router does to it, such as refusing or not reading it, has no effect on the real one.
 */
export class ShadowRequest extends IncomingMessage {
  readonly record: CallRecord;
  #isOver = false;
  #onRead: (() => void) | undefined;

  constructor(request: RecordedRequest, record: CallRecord) {
    super(new Socket());
    this.record = record;
    this.method = request.method as string;
    this.url = request.url as string;
    this.headers = { ...request.headers };
    delete this.headers.expect;
    this.rawHeaders = request.rawHeaders;
    this.httpVersion = request.httpVersion;
    this.httpVersionMajor = request.httpVersionMajor;
    this.httpVersionMinor = request.httpVersionMinor;
    this.on('error', () => {});
  }

  /** Hands on a piece of the body, and calls `next` when there is room for another one. */
  feed(chunk: Buffer, next: () => void): void {
    if (this.#isOver || this.push(chunk)) next();
    else this.#onRead = next;
  }

  /** The body is whole. */
  finish(): void {
    this.complete = true;
    if (!this.#isOver) this.push(null);
  }

  /** Nobody looks at the rest any more. */
  leave(): void {
    this.#isOver = true;
    this.#goOn();
  }

  override _read(): void {
    this.#goOn();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.leave();
    done(error);
  }

  #goOn(): void {
    const next = this.#onRead;
    this.#onRead = undefined;
    next?.();
  }
}
