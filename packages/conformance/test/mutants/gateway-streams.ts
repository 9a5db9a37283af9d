import type { Hooks, Message } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { replace } from './support/gateway.ts';

type Pieces = AsyncIterable<Buffer>;

/** Changes the event streams of hosted services piece by piece, in the order of their arrival. */
const stream = (change: (pieces: Pieces) => Pieces): Hooks => ({
  async *messages(all, { isHandshake }, from) {
    if (isHandshake) return yield* all;
    for await (const data of change(toPieces(all))) yield { from, data };
  },
});

async function* toPieces(all: AsyncIterable<Message>) {
  for await (const { data } of all) yield data;
}

/** Changes the text of each event when it is complete, decoded as Latin-1; the rest at the end. */
const events = (change: (text: string) => string) =>
  stream(async function* changed(pieces) {
    let rest = '';
    const write = (text: string) => Buffer.from(change(text), 'latin1');
    for await (const piece of pieces) {
      const parts = (rest + piece.toString('latin1')).split(/(?<=\n\n|\r\n\r\n|\r\r(?!\n))/);
      rest = /(\n\n|\r\n\r\n|\r\r)$/.test(parts.at(-1) ?? '') ? '' : (parts.pop() ?? '');
      for (const part of parts) yield write(part);
    }
    if (rest !== '') yield write(rest);
  });

/** Changes each piece as it arrives. */
const pieces = (change: (piece: Buffer) => Buffer) =>
  stream(async function* changed(all) {
    for await (const piece of all) yield change(piece);
  });

export const gatewayStreams: Rows = {
  'GW-SSE: only the first of several lines of data arrives': events(
    replace(/(^data:.*\r?\n)(?:data:.*\r?\n)+/gm, '$1'),
  ),
  'GW-SSE: a character that is split between two chunks is replaced': pieces((piece) =>
    Buffer.from(piece.toString()),
  ),
  'GW-SSE-UNBUFFERED: an event stream is buffered until it ends': stream(
    async function* buffered(all) {
      yield Buffer.concat(await Array.fromAsync(all));
    },
  ),
  'GW-SSE-UNBUFFERED: the end of an event waits for the next one': stream(
    async function* late(all) {
      let held = '';
      for await (const piece of all) {
        const text = held + piece.toString('latin1');
        held = text.endsWith('\n') ? '\n' : '';
        yield Buffer.from(text.slice(0, text.length - held.length), 'latin1');
      }
      yield Buffer.from(held);
    },
  ),
};
