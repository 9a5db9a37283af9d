import type { Hooks } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';

/** Changes each piece of an event stream as it arrives. */
const pieces = (change: (piece: Buffer) => Buffer): Hooks => ({
  async *messages(all, { isHandshake }) {
    for await (const message of all)
      yield isHandshake ? message : { ...message, data: change(message.data) };
  },
});

const dropLines = (text: string) => text.replace(/(^data:.*\r?\n)(?:data:.*\r?\n)+/gm, '$1');

export const gatewayStreams: Rows = {
  'GW-SSE: only the first of several lines of data arrives': pieces((piece) =>
    Buffer.from(dropLines(piece.toString('latin1')), 'latin1'),
  ),
  'GW-SSE: a character that is split between two chunks is replaced': pieces((piece) =>
    Buffer.from(piece.toString()),
  ),
  'GW-SSE-UNBUFFERED: an event stream is buffered if the caller accepts gzip': {
    async *messages(all, { isHandshake, headers }) {
      const isPassed = isHandshake || !headers.get('Accept-Encoding')?.includes('gzip');
      yield* isPassed ? all : await Array.fromAsync(all);
    },
  },
  'GW-SSE-UNBUFFERED: the end of an event waits for the next one': {
    async *messages(all, { isHandshake }, from) {
      if (isHandshake) return yield* all;
      let rest = '';
      for await (const { data } of all) {
        const text = rest + data.toString('latin1');
        rest = text.endsWith('\n') ? '\n' : '';
        yield { from, data: Buffer.from(text.slice(0, text.length - rest.length), 'latin1') };
      }
      yield { from, data: Buffer.from(rest) };
    },
  },
};
