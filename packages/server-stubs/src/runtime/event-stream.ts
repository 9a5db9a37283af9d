import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { Call } from './portable/call.ts';
import { type ServerEvent, toEventText } from './portable/server-event.ts';

export interface EventStreamOptions {
  /** Seconds between comments that keep idle connections open. 0 turns them off. Default: 15. */
  readonly heartbeatSeconds?: number;
}

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
  { heartbeatSeconds = 15 }: EventStreamOptions = {},
): EventStream {
  const body = new PassThrough();
  const closed = new AbortController();
  let drained: Promise<unknown> | undefined;
  const beat = () => {
    if (body.writable && !body.writableNeedDrain) body.write(':\n\n');
  };
  // A longer timer would fire at once.
  const hasHeartbeat = heartbeatSeconds > 0 && heartbeatSeconds < 2 ** 31 / 1000;
  const timer = hasHeartbeat ? setInterval(beat, heartbeatSeconds * 1000).unref() : undefined;
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
        drained ??= once(body, 'drain', { signal: closed.signal }).catch(() => {});
        await drained;
        drained = undefined;
      }
      return body.writable;
    },
    close: () => void body.end(),
  };
}
