import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { EventScript, ScriptedEvent } from '../fake-service.ts';
import { toEventText } from './to-event-text.ts';
import { untilAborted } from './until-aborted.ts';
import { wait } from './wait.ts';

/**
 * Writes events no faster than the caller takes them.
 *
 * @param isResumed whether the first event is one that the caller has missed: it is not cut again
 * @returns whether the stream has come to its end; false where the connection was cut
 * @throws the reason of `signal`, when the caller is gone; what an iterator throws
 */
export async function playEvents(
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
      // A script that never waits must not keep everybody else waiting.
      await turn();
    }
    await turn(undefined, { signal });
  } while (repeat);
  if (keepOpen) await untilAborted(new Promise(() => {}), signal);
  return true;
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
    // Not awaited: it may come only when what it waits for does.
    iterator.return?.().catch(() => {});
  }
}

/** Half of the event leaves, then the connection ends without the end of the body. */
async function cut(response: ServerResponse, event: ScriptedEvent): Promise<void> {
  const bytes = Buffer.from(toEventText(event));
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  await new Promise<unknown>((resolve) => response.write(half, resolve));
  if (response.socket === null) response.destroy();
  else response.socket.destroySoon();
}
