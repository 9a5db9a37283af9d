import type { OpenExchange } from '../../http/caller.ts';
import { parseEvents, type StreamEvent } from './parse-events.ts';

/** An event stream as it comes. */
export interface Following {
  /** What has come so far. */
  events(): StreamEvent[];
  /** Waits until so many events are there, or the stream has ended. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Reads an event stream at once and as it comes, whether anybody waits for it or not. */
export function followEvents({ chunks, close }: OpenExchange): Following {
  let text = '';
  let isOver = false;
  let tell = () => {};
  const events = () => parseEvents(text);
  const read = async () => {
    try {
      for await (const chunk of chunks) {
        text += chunk.toString();
        tell();
      }
    } finally {
      isOver = true;
      tell();
    }
  };
  // A stream that breaks off is over: the events that are missing then tell of it.
  const reading = read().catch(() => {});
  return {
    events,
    async until(count) {
      while (!isOver && events().length < count) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
    },
    async close() {
      close();
      await reading;
    },
  };
}
