import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { BodyWriter } from '@berth/server-stubs/runtime';

import { toEventText } from './event-text.ts';
import type { EventsResponse, ServiceEvent } from './fake-service.ts';
import type { RouteContext, RouteHandler } from './services.ts';

const TYPE = 'text/event-stream';

/**
 * Creates a route handler that sends events. If they are an array, `Last-Event-ID` is supported. If that ID is
 * unknown, the stream starts from the beginning.
 */
export function prepareEvents({ events, headers: own }: EventsResponse): RouteHandler {
  const headers = { 'cache-control': 'no-cache', ...own, 'content-type': TYPE };
  return (context) => {
    const rest = eventsAfter(events, context.input.headers['last-event-id']);
    // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
    if (Array.isArray(rest) && rest.length === 0) return { status: 204 };
    if (context.input.method === 'HEAD') return { status: 200, headers };
    return { status: 200, headers, body: toWriter(rest, context) };
  };
}

type Events = EventsResponse['events'];

function eventsAfter(events: Events, lastId: string | string[] | undefined): Events {
  if (lastId === undefined || lastId === '' || !Array.isArray(events)) return events;
  const at = events.findLastIndex(({ id }: ServiceEvent) => String(id) === String(lastId));
  return events.slice(at + 1);
}

function toWriter(events: Events, { call: { signal }, report }: RouteContext): BodyWriter {
  return (response, end) => {
    response.flushHeaders();
    writeEvents(response, events, signal).then(
      () => end(response),
      (error) => {
        if (!signal.aborted) report(error);
        response.destroy();
      },
    );
  };
}

/**
 * Writes events no faster than the caller reads them.
 *
 * @throws the reason of `signal` if the caller disconnects; errors of an iterator
 */
async function writeEvents(
  response: ServerResponse,
  events: Events,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of takeAll(events, signal)) {
    signal.throwIfAborted();
    if (response.write(toEventText(event))) continue;
    await once(response, 'drain', { signal });
    // An iterable that never waits must not block the event loop.
    await turn();
  }
}

/** An iterator that waits for something else must not outlive the caller. */
async function* takeAll(events: Events, signal: AbortSignal): AsyncGenerator<ServiceEvent> {
  if (!(Symbol.asyncIterator in events)) {
    yield* events;
    return;
  }
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: it may settle only when what it is waiting for does.
    iterator.return?.().catch(() => {});
  }
}

/** Returns a promise that rejects when `signal` is aborted. */
function untilAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).then(() => signal.removeEventListener('abort', leave));
  });
}
