import { isUtf8 } from 'node:buffer';
import type {
  Hooks,
  MutatedRequest,
  SocketEnd,
  SocketFrame,
  SocketMessage,
} from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { acceptHandshake, isSigned, readSignature } from './support/credentials.ts';
import { setHeader, toGatewayResponse, toRefusal, upgraded } from './support/gateway.ts';

/** Opcodes of RFC 6455, section 5.2. */
const [CLOSE, PONG] = [8, 10] as const;

/** Changes the frames of one side. */
const frames = (
  from: SocketFrame['from'],
  change: (frame: SocketFrame) => SocketFrame | undefined,
): Hooks => ({ frame: (frame) => (frame.from === from ? change(frame) : frame) });

const NAME = 'Sec-WebSocket-Protocol';

/** Changes the messages of one side, except commands to the fixture. */
const messages = (
  side: SocketMessage['from'],
  change: (message: SocketMessage) => Partial<SocketMessage> | undefined,
): Hooks => ({
  message(message) {
    const isWanted = message.from === side && !message.data.toString().startsWith('!');
    const changed = isWanted ? change(message) : {};
    return changed && { ...message, ...changed };
  },
});

/** Changes the bytes of one side's messages of a kind. */
const bytes = (
  kind: 'text' | 'binary',
  side: SocketMessage['from'],
  change: (data: Buffer) => Buffer,
): Hooks =>
  messages(side, ({ binary, data }) =>
    binary === (kind === 'binary') ? { data: change(data) } : {},
  );

/**
 * Changes how a WebSocket ends that one side has closed.
 *
 * @param codes the lowest and the highest code that is changed
 */
const closes = (
  from: SocketEnd['from'],
  [least, most]: readonly [number, number],
  change: Partial<SocketEnd>,
): Hooks => ({
  close(end) {
    const isWanted = end.from === from && end.code >= least && end.code <= most;
    return isWanted ? { ...end, ...change } : end;
  },
});
const ANY = [0, 4999] as const;

const handshake = (upgrade: (request: MutatedRequest) => unknown): Hooks => ({ upgrade });

export const gatewaySockets: Rows = {
  'GW-WS-UPGRADE': {
    'a handshake with a cookie is rejected': handshake(({ headers }) =>
      headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST'),
    ),
    'a handshake gets 426 because the upgrade was lost': handshake(({ headers }) =>
      headers.get('Authorization') ? toGatewayResponse(426) : undefined,
    ),
  },
  'GW-WS-TEXT': {
    'a character that is split between two fragments is replaced': frames('caller', (frame) =>
      frame.opcode < CLOSE && (frame.opcode === 0 || !frame.fin)
        ? { ...frame, data: Buffer.from(frame.data.toString()) }
        : frame,
    ),
    'the gateway greets the caller with a message': {
      joined: (socket) =>
        socket.send({ from: 'service', opcode: 1, fin: true, data: Buffer.from('connected') }),
    },
  },
  'GW-WS-BINARY': {
    'binary messages that contain text arrive as text messages': {
      message(message) {
        const isText = isUtf8(message.data) && message.data.length > 1;
        return message.binary && isText ? { ...message, binary: false } : message;
      },
    },
    'a trailing zero byte is lost': bytes('binary', 'caller', (data) =>
      data.at(-1) === 0 ? data.subarray(0, -1) : data,
    ),
  },
  'GW-WS-PING': {
    'control frames other than closes are dropped': {
      frame: (frame) => (frame.opcode > 8 ? undefined : frame),
    },
    'the payload of a pong is lost': frames('service', (frame) =>
      frame.opcode === PONG ? { ...frame, data: Buffer.alloc(0) } : frame,
    ),
  },
  'GW-WS-SUBPROTOCOL': {
    'only the first offered subprotocol reaches the service': handshake(
      setHeader(NAME, (offered) => offered.split(/, */)[0] || undefined),
    ),
    'the subprotocol chosen by the service does not reach the caller': upgraded(
      (response, request) => {
        if (request.headers.get(NAME)?.includes(',')) response.headers.remove(NAME);
      },
    ),
  },
  'GW-WS-CLOSE': {
    'the service always receives the close code 1000': closes('caller', ANY, { code: 1000 }),
    "the caller's reason is lost": closes('caller', ANY, { reason: '' }),
  },
  'GW-WS-AUTH': {
    'a handshake without credentials is accepted': acceptHandshake((value) => value === undefined),
    'the service is called before the credentials are checked': (context) => ({
      async response(response, { target, headers }) {
        if (response.status < 400 || !headers.get('Upgrade')) return;
        const Host = headers.get('Host') ?? '';
        const given = { Host, Authorization: context.authorization };
        await context.call({ method: 'GET', target, headers: given });
      },
    }),
  },
  'AU-SIGNATURE': {
    'a handshake is verified as a GET of the root': (context) =>
      handshake((request) =>
        readSignature(request) && !isSigned(request, context, { path: '/' })
          ? toRefusal(401, 'SIGNATURE_WRONG')
          : undefined,
      ),
  },
  'AU-BEARER': {
    'a handshake with a token is rejected': handshake(({ headers }) =>
      headers.get('Authorization')?.startsWith('Bearer ')
        ? toRefusal(401, 'SIGNATURE_REQUIRED')
        : undefined,
    ),
  },
};
