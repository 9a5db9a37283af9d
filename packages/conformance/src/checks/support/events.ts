import type { OpenExchange } from '../../http/caller.ts';

/**
 * What an event stream may contain (HTML, section 9.2.6): fields in any order, with and without a space or a
 * colon, empty ones and unknown ones, several lines of data, comments, all kinds of line ends, characters of
 * several bytes, and an incomplete event at the end.
 */
export const EVENTS = [
  '\uFEFF: a comment\nretry: 4711\nevent: named\nid: 1\ndata: one\ndata:two\ndata:\ndata:  three\n\n',
  ':\n\nevent:named\r\ndata:with CRLF\r\nid:2\r\n\r\n',
  'data\n\ndata:\n\nid:\ndata: after an empty ID\n\n',
  `unknown: field\ndata: {"text":"${'中文'.repeat(40)}🙂"}\n\n`,
  ': ping\n\ndata: a\rdata: b\r\rdata: {"last":true}\nid: 3\n\n',
  'event: incomplete\ndata: lost\n',
].join('');

interface StreamEvent {
  /** Only if the event itself has one; it may be empty. */
  id?: string;
  event?: string;
  data: string;
  retry?: string;
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
    const fields = block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      return [name, value] as const;
    });
    const valuesOf = (name: string) =>
      fields.filter(([key]) => key === name).map(([, value]) => value);
    const data = valuesOf('data');
    if (data.length === 0) return [];
    const names = ['id', 'event', 'retry'] as const;
    const last = names.map((name) => [name, valuesOf(name).at(-1)] as const);
    return [
      {
        ...Object.fromEntries(last.filter(([, value]) => value !== undefined)),
        data: data.join('\n'),
      },
    ];
  });
}

/** Reads an event stream as it arrives, even if no one is waiting for it. */
export function followEvents({ chunks, close }: OpenExchange) {
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
    /** Waits for this many events, or the end of the stream. */
    async until(count: number): Promise<void> {
      while (!isOver && events().length < count) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
    },
    async close(): Promise<void> {
      close();
      await reading;
    },
  };
}
