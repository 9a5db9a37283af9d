import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { Call } from './call.ts';

const LINE_BREAK = /\r\n|\r|\n/;

/** A server-sent event (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Event type, on one line. Default: `message`. */
  readonly event?: string;
  /** Text, which may have several lines, or a value that is sent as JSON. */
  readonly data?: unknown;
  /** Event ID, on one line, which clients send as `Last-Event-ID` when they reconnect. */
  readonly id?: string;
  /** How long clients wait before they reconnect, in whole milliseconds. */
  readonly retry?: number;
}

export interface EventStreamOptions {
  /** Milliseconds between comments that keep idle connections open. 0 turns them off. Default: 15,000. */
  readonly heartbeat?: number;
}

/** Writes an event stream. */
export interface EventStream {
  /** The body to return, as `text/event-stream`. */
  readonly body: Readable;
  /** Sends an event. Resolves when the next one may be sent, to `false` if the client has disconnected. */
  send(event: ServerEvent): Promise<boolean>;
  /** Ends the stream. */
  close(): void;
}

/**
 * Creates a stream of server-sent events, with backpressure. It ends with the response, even if the client
 * disconnects or the handler fails.
 *
 * @example
 * const events = createEventStream(call);
 * void (async () => {
 *   for await (const tick of ticks(call.signal)) {
 *     if (!(await events.send({ event: 'tick', data: tick }))) return;
 *   }
 *   events.close();
 * })();
 * return { status: 200, contentType: 'text/event-stream', body: events.body };
 */
export function createEventStream(
  { response }: Call,
  { heartbeat = 15_000 }: EventStreamOptions = {},
): EventStream {
  const body = new PassThrough();
  const closed = new AbortController();
  let drained: Promise<unknown> | undefined;
  const beat = () => {
    if (body.writable && !body.writableNeedDrain) body.write(':\n\n');
  };
  const timer = heartbeat > 0 ? setInterval(beat, heartbeat).unref() : undefined;
  body.once('close', () => {
    clearInterval(timer);
    closed.abort();
  });
  // Even if the handler fails and the body is never sent.
  if (response.destroyed || response.closed) body.destroy();
  else response.once('close', () => body.destroy());

  return {
    body,
    async send(event) {
      const text = toEventText(event);
      if (!body.writable) return false;
      if (!body.write(text)) {
        drained ??= once(body, 'drain', closed).catch(() => {});
        await drained;
        drained = undefined;
      }
      return body.writable;
    },
    close: () => void body.end(),
  };
}

/** @throws TypeError if event type or ID are not one line without NUL, or `retry` is not a whole number */
export function toEventText({ event, data, id, retry }: ServerEvent): string {
  let text = '';
  if (event !== undefined) text += `event: ${toLine('event', event)}\n`;
  if (id !== undefined) text += `id: ${toLine('id', id)}\n`;
  if (retry !== undefined) text += `retry: ${toWhole(retry)}\n`;
  if (data !== undefined) {
    const value = typeof data === 'string' ? data : JSON.stringify(data);
    for (const line of value.split(LINE_BREAK)) text += `data: ${line}\n`;
  }
  return `${text}\n`;
}

function toLine(field: string, value: string): string {
  if (LINE_BREAK.test(value) || value.includes('\0')) {
    throw new TypeError(`The event's ${field} must be a single line without NUL.`);
  }
  return value;
}

function toWhole(retry: number): number {
  if (Number.isInteger(retry) && retry >= 0) return retry;
  throw new TypeError("The event's retry must be a whole number of milliseconds.");
}
