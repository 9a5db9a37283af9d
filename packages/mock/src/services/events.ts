import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { BodyWriter } from '@berth/server-stubs';
import { toMilliseconds } from '../util/values.ts';
import type { Duration, EventScript, ScriptedEvent } from './fake-service.ts';
import type { RouteContext, RouteHandler } from './services.ts';

const TYPE = 'text/event-stream';

/**
 * Creates a route handler that sends the events in a script. If the events are a list, `Last-Event-ID` is
 * supported. If that ID is unknown, the stream starts from the beginning.
 */
export function prepareEvents(script: EventScript): RouteHandler {
  const { events, repeat = false, keepOpen = false } = script;
  const headers = { 'cache-control': 'no-cache', ...script.headers, 'content-type': TYPE };
  return (context) => {
    const missed = missedOf(events, context.input.headers['last-event-id']);
    // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
    if (missed?.length === 0 && !repeat && !keepOpen) return { status: 204 };
    if (context.input.method === 'HEAD') return { status: 200, headers };
    return { status: 200, headers, body: toWriter(script, missed, context) };
  };
}

/** @param missed events that the caller missed, sent before the script starts over */
function toWriter(
  script: EventScript,
  missed: readonly ScriptedEvent[] | undefined,
  { call: { signal }, report }: RouteContext,
): BodyWriter {
  return (response, end) => {
    response.flushHeaders();
    const play = async () => {
      if (missed === undefined) return playEvents(response, script, false, signal);
      const { repeat = false, keepOpen = false } = script;
      const rest = { events: missed, keepOpen: keepOpen && !repeat };
      const isWhole = await playEvents(response, rest, true, signal);
      return isWhole && repeat ? playEvents(response, script, false, signal) : isWhole;
    };
    play().then(
      (isWhole) => {
        if (isWhole) end(response);
      },
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
 * @param isResumed whether the first event is one that the caller missed, which is not cut again
 * @returns whether the stream is complete; false if the connection was cut
 * @throws the reason of `signal` if the caller disconnects; errors of an iterator
 */
async function playEvents(
  response: ServerResponse,
  { events, repeat = false, keepOpen = false }: EventScript,
  isResumed: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  let isMissed = isResumed;
  do {
    for await (const event of takeAll(events, signal)) {
      await wait(event.delay, signal);
      if (event.cut && !isMissed) {
        await cut(response, event);
        return false;
      }
      isMissed = false;
      if (response.write(toEventText(event))) continue;
      await once(response, 'drain', { signal });
      // A script that never waits must not block the event loop.
      await turn();
    }
    await turn(undefined, { signal });
  } while (repeat);
  if (keepOpen) await untilAborted(new Promise(() => {}), signal);
  return true;
}

/** Formats an event for the wire (WHATWG HTML, section 9.2). Each line of the data is a separate field. */
function toEventText({ id, event, data, retry, comment }: ScriptedEvent): string {
  const lines: string[] = [];
  if (comment !== undefined) lines.push(...split(comment).map((line) => `: ${line}`));
  if (retry !== undefined) lines.push(`retry: ${retry}`);
  if (event !== undefined) lines.push(`event: ${event}`);
  if (id !== undefined) lines.push(`id: ${id}`);
  if (data !== undefined) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    lines.push(...split(text).map((line) => `data: ${line}`));
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

const LINE_BREAK = /\r\n|\r|\n/;

function split(text: string): string[] {
  return text.split(LINE_BREAK);
}

/** Returns a promise that rejects when `signal` is aborted. */
function untilAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', leave);
        resolve(value);
      },
      (error) => {
        signal.removeEventListener('abort', leave);
        reject(error);
      },
    );
  });
}

/** An iterator that waits for something else must not outlive the caller. */
async function* takeAll(
  events: EventScript['events'],
  signal: AbortSignal,
): AsyncGenerator<ScriptedEvent> {
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

/** Sends half of the event, then closes the connection without ending the body. */
async function cut(response: ServerResponse, event: ScriptedEvent): Promise<void> {
  const bytes = Buffer.from(toEventText(event));
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  await new Promise<unknown>((resolve) => response.write(half, resolve));
  if (response.socket === null) response.destroy();
  else response.socket.destroySoon();
}

/** Returns the events after an ID; undefined if the stream starts from the beginning. */
function missedOf(
  events: EventScript['events'],
  lastId: string | string[] | undefined,
): readonly ScriptedEvent[] | undefined {
  if (lastId === undefined || lastId === '' || !Array.isArray(events)) return undefined;
  const at = events.findLastIndex(({ id }: ScriptedEvent) => String(id) === String(lastId));
  return at < 0 ? undefined : events.slice(at + 1);
}

/** `setTimeout` is limited to 31 bits; a longer delay would become 0. */
const MOST = 2 ** 31 - 1;

/**
 * Waits for a duration that a script specifies.
 *
 * @throws the AbortError of `signal`
 */
export async function wait(duration: Duration | undefined, signal: AbortSignal): Promise<void> {
  const ms = toMilliseconds(duration ?? 0) ?? 0;
  if (ms > 0) await sleep(Math.min(ms, MOST), undefined, { signal });
  else signal.throwIfAborted();
}
