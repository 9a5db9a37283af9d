import type { Readable } from 'node:stream';
import type { Call } from './call.ts';

/** One event of a stream (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** Name of the event; default `message`. */
  readonly event?: string;
  /** Text as it is, several lines allowed; anything else as JSON. */
  readonly data?: unknown;
  /** What a client that reconnects sends as `Last-Event-ID`. */
  readonly id?: string;
  /** Milliseconds before a client reconnects. */
  readonly retry?: number;
}

export interface EventStreamOptions {
  /** Milliseconds between comments that keep idle connections open; 0 for none. Default 15,000. */
  readonly heartbeat?: number;
}

/** Writes a stream of events. Nothing here ever throws or rejects because the client is gone. */
export interface EventStream {
  /** The body to answer with, as `text/event-stream`. */
  readonly body: Readable;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Resolves when the next event may be sent: true, or false when nobody listens any more. */
  send(event: ServerEvent): Promise<boolean>;
  /** Sends a comment, which clients ignore. */
  comment(text?: string): Promise<boolean>;
  /** Ends the stream. */
  close(): void;
}

export function createEventStream(_call: Call, _options: EventStreamOptions = {}): EventStream {
  throw new Error('not yet');
}
