import type { BodyWriter } from '@berth/server-stubs';
import type { EventScript, ScriptedEvent } from '../fake-service.ts';
import { playEvents } from './play-events.ts';
import type { Answerer, RouteContext } from './route-context.ts';

/**
 * Makes the answer of an event script. `Last-Event-ID` is honoured where the events are a list; an id
 * that is not in it begins at the first.
 */
export function prepareEvents(script: EventScript): Answerer {
  const { events, repeat = false, keepOpen = false } = script;
  const headers = { 'cache-control': 'no-cache', ...script.headers, 'content-type': TYPE };
  return (context) => {
    const missed = missedOf(events, context.input.headers['last-event-id']);
    // WHATWG HTML, section 9.2.1: "a client can be told to stop reconnecting using the HTTP 204 No
    // Content response code".
    if (missed?.length === 0 && !repeat && !keepOpen) return { status: 204 };
    if (context.input.method === 'HEAD') return { status: 200, headers };
    return { status: 200, headers, body: toWriter(script, missed, context) };
  };
}

const TYPE = 'text/event-stream';

/** @param missed events that the caller has missed, before the script begins again */
function toWriter(
  script: EventScript,
  missed: readonly ScriptedEvent[] | undefined,
  { call: { signal }, openEnds, report }: RouteContext,
): BodyWriter {
  return (response, end) => {
    response.once(
      'close',
      openEnds.add(() => response.destroy()),
    );
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

/** What stands after the event of an id; undefined where the stream begins at its first. */
function missedOf(
  events: EventScript['events'],
  lastId: string | string[] | undefined,
): readonly ScriptedEvent[] | undefined {
  if (lastId === undefined || lastId === '' || !Array.isArray(events)) return undefined;
  const at = events.findLastIndex(({ id }: ScriptedEvent) => String(id) === String(lastId));
  return at < 0 ? undefined : events.slice(at + 1);
}
