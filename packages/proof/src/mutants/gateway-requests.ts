import type { MutatedRequest } from '../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  changeBody,
  changeQuery,
  changeText,
  forwardedRequest,
  gatewayRequest,
  keepHeaders,
  toRefusal,
} from './support/gateway.ts';

export const gatewayRequests: readonly Mutant[] = [
  mutant(
    'GW-FORWARD-METHOD',
    'X-HTTP-Method-Override in a POST changes the method',
    gatewayRequest((request) => {
      const wanted = request.headers.get('X-HTTP-Method-Override');
      if (request.method === 'POST' && wanted) request.method = wanted;
    }),
  ),
  ...mutantsOf('GW-FORWARD-HEADERS', {
    'headers whose names begin with X- do not reach the service': gatewayRequest(
      keepHeaders((name) => !/^x-/i.test(name)),
    ),
    'content type parameters do not reach the service': forwardedRequest(({ headers, method }) => {
      const [type] = headers.get('Content-Type')?.split(';', 1) ?? [];
      if (method === 'POST' && type !== undefined) headers.set('Content-Type', type);
    }),
    'only the last value of a repeated header reaches the service': gatewayRequest(
      ({ headers }) => {
        const last = headers.all('X-Conformance-Repeated').at(-1);
        if (last !== undefined) headers.set('X-Conformance-Repeated', last);
      },
    ),
    'cookies in a WebSocket handshake do not reach the service': {
      upgrade: ({ headers }) => headers.remove('Cookie'),
    },
  }),
  ...mutantsOf('GW-FORWARD-BODY', {
    'white space around a posted object is trimmed': gatewayRequest(
      changeText((text) => (/^\s/.test(text) ? text.trim() : text)),
    ),
    'a posted object of more than 65,536 bytes arrives truncated': gatewayRequest(
      changeBody((body) => body.subarray(0, 65_536)),
    ),
  }),
  mutant('GW-CALLS-APART', 'each call on a connection arrives with the query of the first', () => {
    const queries = new WeakMap<object, string>();
    return gatewayRequest((request) => {
      const first = queries.get(request.connection) ?? request.query;
      queries.set(request.connection, first);
      if (first !== '') changeQuery(request, () => first);
    });
  }),
];

const isChunked = ({ headers }: MutatedRequest) => headers.get('Transfer-Encoding') === 'chunked';

/** Rejects every call without `Content-Length`. */
export const refuseChunks = (status: number): Mutant =>
  mutant(
    'GW-FORWARD-BODY',
    `a chunked body is rejected with ${status}`,
    forwardedRequest((request) =>
      isChunked(request) ? toRefusal(status, 'LENGTH_REQUIRED') : undefined,
    ),
  );

const changePieces = (breaks: string, change: (pieces: readonly Buffer[]) => Buffer[]): Mutant =>
  mutant(
    'GW-FORWARD-BODY',
    breaks,
    forwardedRequest((request) => {
      if (isChunked(request)) request.body = Buffer.concat(change(request.pieces));
    }),
  );

/** Mutants that mishandle chunked bodies, which every streaming client sends. */
export const chunkedBodies: readonly Mutant[] = [
  refuseChunks(400),
  refuseChunks(501),
  changePieces('only the first chunk of a chunked body arrives', (pieces) => pieces.slice(0, 1)),
  changePieces('only the last chunk of a chunked body arrives', (pieces) => pieces.slice(-1)),
  changePieces('a chunked body arrives with the sizes of its chunks', (pieces) =>
    [...pieces, Buffer.alloc(0)].map((piece) =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    ),
  ),
  changePieces('each chunk is decoded as text on its own', (pieces) =>
    pieces.map((piece) => Buffer.from(piece.toString())),
  ),
];
