import type { OpenExchange } from '../../http/caller.ts';

interface StreamEvent {
  id: string;
  data: string;
}

/**
 * Parses the complete events of an event stream in order (HTML, section 9.2.6). An event that is not followed
 * by an empty line is incomplete. Comments and events without data are ignored.
 */
export function parseEvents(text: string): StreamEvent[] {
  const blocks = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n\n')
    .slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const valuesOf = (name: string) =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
    const data = valuesOf('data');
    return data.length === 0 ? [] : [{ id: valuesOf('id').at(-1) ?? '', data: data.join('\n') }];
  });
}

/** An event stream as it arrives. */
interface Following {
  /** The events received so far. */
  events(): StreamEvent[];
  /** Waits for this many events, or the end of the stream. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Reads an event stream as it arrives, even if no one is waiting for it. */
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
  // A broken stream just ends; the check then fails because of missing events.
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
