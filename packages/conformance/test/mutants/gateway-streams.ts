import type { Rows } from './mutant.ts';

export const gatewayStreams: Rows = {
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
  'GW-SSE-UNBUFFERED: an event stream is buffered, and comments keep its connection alive': {
    async *messages(all, { isHandshake }, from) {
      if (isHandshake) return yield* all;
      const events = [];
      for await (const message of all) {
        events.push(message);
        yield { from, data: Buffer.from(':\n\n') };
      }
      yield* events;
    },
  },
};
