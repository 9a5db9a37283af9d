import type { MutatedRequest } from '../proxy/messages.ts';
import { behind, fault } from './from-outside/fault.ts';

import type { Mutant } from './mutant.ts';
import { toRefusal } from './support/refusals.ts';

const isChunked = ({ headers }: MutatedRequest) => headers.get('Transfer-Encoding') === 'chunked';

/** Refuses each call that has no length. */
export const refusingChunks = (status: number): Mutant =>
  fault(
    'GW-FORWARD-BODY',
    `a chunked body is refused with ${status}`,
    behind((request) => (isChunked(request) ? toRefusal(status, 'LENGTH_REQUIRED') : undefined)),
  );

const changing = (breaks: string, change: (pieces: readonly Buffer[]) => Buffer[]): Mutant =>
  fault(
    'GW-FORWARD-BODY',
    breaks,
    behind((request) => {
      if (isChunked(request)) request.body = Buffer.concat(change(request.pieces));
    }),
  );

/** What gateways make of calls whose body comes in chunks, as that of every client that streams. */
export const chunkedBodies: readonly Mutant[] = [
  refusingChunks(400),
  refusingChunks(501),
  changing('of a chunked body the first chunk arrives', (pieces) => pieces.slice(0, 1)),
  changing('of a chunked body the last chunk arrives', (pieces) => pieces.slice(-1)),
  changing('a chunked body arrives with the sizes of its chunks', (pieces) =>
    [...pieces, Buffer.alloc(0)].map((piece) =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    ),
  ),
  changing('chunks are decoded as text one by one', (pieces) =>
    pieces.map((piece) => Buffer.from(piece.toString())),
  ),
];
