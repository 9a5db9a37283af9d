import { isUtf8 } from 'node:buffer';
import type { Hooks, MutatedRequest } from '../proxy/messages.ts';
import { accept } from './hooks/credentials.ts';
import { frames as eachFrame, type SocketFrame, toRefusal, upgraded } from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

/** Opcodes of RFC 6455, section 5.2. */
const [TEXT, BINARY, CLOSE, PONG] = [1, 2, 8, 10] as const;

const NAME = 'Sec-WebSocket-Protocol';

/** Changes the frames that match. */
const frames = (
  isWanted: (frame: SocketFrame) => unknown,
  change: (frame: SocketFrame) => Partial<SocketFrame>,
): Hooks => eachFrame((frame) => [isWanted(frame) ? { ...frame, ...change(frame) } : frame]);

const fromCaller = (opcode: number) => (frame: SocketFrame) =>
  frame.from === 'caller' && frame.opcode === opcode;

const handshake = (change: (request: MutatedRequest) => unknown): Hooks => ({
  request: (request) => (request.isHandshake ? change(request) : undefined),
});

export const gatewaySockets: Rows = {
  'GW-WS-UPGRADE: a handshake with a cookie is rejected': handshake(({ headers }) =>
    headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST'),
  ),
  'GW-WS-UPGRADE: a handshake gets 426': handshake(({ headers }) =>
    headers.get('Authorization') ? toRefusal(426, 'INVALID_REQUEST') : undefined,
  ),
  'GW-WS-MESSAGES/1: a split character is replaced': frames(
    ({ from, opcode, fin }) => from === 'caller' && opcode < CLOSE && (opcode === 0 || !fin),
    ({ data }) => ({ data: Buffer.from(data.toString()) }),
  ),
  'GW-WS-MESSAGES/1: the gateway greets the caller with a message': {
    async *messages(all, { isHandshake }, from) {
      const data = Buffer.from('connected');
      if (isHandshake && from === 'service') yield { from, opcode: TEXT, fin: true, data };
      yield* all;
    },
  },
  'GW-WS-MESSAGES/2: binary messages arrive as text': frames(
    ({ opcode, data }) => opcode === BINARY && isUtf8(data) && data.length > 1,
    () => ({ opcode: TEXT }),
  ),
  'GW-WS-PING: pings and pongs are dropped': eachFrame((frame) =>
    frame.opcode > CLOSE ? [] : [frame],
  ),
  'GW-WS-PING: the payload of a pong is lost': frames(
    ({ from, opcode }) => from === 'service' && opcode === PONG,
    () => ({ data: Buffer.alloc(0) }),
  ),
  'GW-WS-SUBPROTOCOL: only the first offer arrives': handshake(({ headers }) => {
    const [first] = headers.get(NAME)?.split(/, */) ?? [];
    if (first) headers.set(NAME, first);
  }),
  'GW-WS-SUBPROTOCOL: the choice does not arrive': upgraded((response, request) => {
    if (request.headers.get(NAME)?.includes(',')) response.headers.remove(NAME);
  }),
  'GW-WS-CLOSE: the code is always 1000': frames(fromCaller(CLOSE), ({ data }) => ({
    data: Buffer.from([1000 >> 8, 1000 & 255, ...data.subarray(2)]),
  })),
  'GW-WS-CLOSE: closes are not passed on': eachFrame((frame) =>
    frame.opcode === CLOSE ? [] : [frame],
  ),
  'GW-WS-AUTH: a handshake without credentials is accepted': accept(
    (get, _, { isHandshake }) => isHandshake && get('Authorization') === undefined,
  ),
  'GW-WS-AUTH: the service is called before the credentials are checked': (context) => ({
    async response(response, { target, headers }) {
      if (response.status < 400 || !headers.get('Upgrade')) return;
      const Host = headers.get('Host') ?? '';
      const { authorization: Authorization } = context;
      await context.call({ method: 'GET', target, headers: { Host, Authorization } });
    },
  }),
};
