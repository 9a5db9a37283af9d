import { Readable } from 'node:stream';
import type { Call } from './call.ts';

const LINE_BREAK = /\r\n|\r|\n/;

/** A server-sent event (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Event type, on one line. Default: `message`. */
  readonly event?: string;
  /** Data of the event. Strings are sent as is and may have several lines. Anything else is sent as JSON. */
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

/** Writes an event stream. No method throws or rejects when the client disconnects. */
export interface EventStream {
  /** The body to return, as `text/event-stream`. */
  readonly body: Readable;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Sends an event. Resolves when the next one may be sent, to `false` if the client has disconnected. */
  send(event: ServerEvent): Promise<boolean>;
  /** Sends a comment, which clients ignore. */
  comment(text?: string): Promise<boolean>;
  /** Ends the stream. */
  close(): void;
}

/**
 * Creates a stream of server-sent events (WHATWG HTML, section 9.2). `send` applies backpressure. The
 * stream ends with the response, even if the client disconnects or the handler fails.
 *
 * @example
 * const events = createEventStream(call);
 * void (async () => {
 *   for await (const tick of ticks(events.signal)) {
 *     if (!(await events.send({ event: 'tick', data: tick }))) return;
 *   }
 *   events.close();
 * })();
 * return { status: 200, contentType: 'text/event-stream', body: events.body };
 */
export function createEventStream(
  { signal, response }: Call,
  { heartbeat = 15_000 }: EventStreamOptions = {},
): EventStream {
  let resolvers: (() => void)[] = [];
  const wake = () => {
    const waiting = resolvers;
    resolvers = [];
    for (const resolve of waiting) resolve();
  };
  const body = new Readable({ read: wake, destroy: (error, done) => done(error) });
  let isOpen = true;
  const end = () => {
    isOpen = false;
    clearInterval(timer);
    wake();
  };
  body.once('close', end);

  const write = async (text: string): Promise<boolean> => {
    if (isOpen && !body.push(text)) await new Promise<void>((resolve) => resolvers.push(resolve));
    return isOpen;
  };
  const comment = (text = '') => write(`:${text.replace(/\r\n|\r|\n/g, '\n:')}\n\n`);
  // Clients that do not read need no heartbeat.
  const beat = () => {
    if (resolvers.length === 0) void comment();
  };
  const timer = heartbeat > 0 ? setInterval(beat, heartbeat).unref() : undefined;
  // Even if the handler fails and the body is never sent.
  if (response.destroyed || response.closed) body.destroy();
  else response.once('close', () => body.destroy());

  return {
    body,
    signal,
    send: (event) => write(toEventText(event)),
    comment,
    close() {
      if (isOpen) body.push(null);
      end();
    },
  };
}

/**
 * Serializes an event. Each line of the data becomes a field; clients join them again.
 *
 * @throws TypeError if the event type or the ID has several lines, if the ID contains NUL, which clients
 *   ignore, or if `retry` is not a whole number
 */
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
