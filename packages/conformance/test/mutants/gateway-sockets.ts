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
const [CLOSE, PING] = [8, 9] as const;
const PROTOCOL_ERROR = { opcode: CLOSE, data: Buffer.from([0x03, 0xea]) };

/** Changes the frames of one side. */
const frames = (
  from: SocketFrame['from'],
  change: (frame: SocketFrame) => SocketFrame | undefined,
): Hooks => ({ frame: (frame) => (frame.from === from ? change(frame) : frame) });

/** Changes the fragments of the caller's messages; `opcode` is that of the first one. */
const fragments =
  (
    change: (frame: SocketFrame, opcode: number, index: number) => Partial<SocketFrame> | undefined,
  ) =>
  (): Hooks => {
    let opcode = 0;
    let index = 0;
    return frames('caller', (frame) => {
      if (frame.opcode >= CLOSE) return frame;
      if (frame.opcode !== 0) {
        opcode = frame.opcode;
        index = 0;
        if (frame.fin) return frame;
      } else index += 1;
      const changed = change(frame, opcode, index);
      return changed && { ...frame, ...changed };
    });
  };
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

/** Splits the caller's messages of more than this size into two. */
const splitting = (binary: boolean, size: number): Hooks => ({
  message(message) {
    const isLong =
      message.binary === binary && message.from === 'caller' && message.data.length > size;
    if (!isLong) return message;
    return [
      { ...message, data: message.data.subarray(0, size) },
      { ...message, data: message.data.subarray(size) },
    ];
  },
});

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
    'a character that is split between two fragments is replaced': fragments(({ data }) => ({
      data: Buffer.from(data.toString()),
    })),
    'the gateway greets the caller with a message': {
      joined: (socket) =>
        socket.send({ from: 'service', opcode: 1, fin: true, data: Buffer.from('connected') }),
    },
    'a text of more than 64 KiB arrives in two messages': splitting(false, 65_536),
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
    'a ping between two fragments comes after the message': () => {
      let held: SocketFrame | undefined;
      let isOpen = false;
      return frames('caller', (frame) => {
        if (frame.opcode === PING && isOpen) {
          held = frame;
          return undefined;
        }
        if (frame.opcode < CLOSE) isOpen = !frame.fin;
        return held && frame.fin ? { ...frame, ...PROTOCOL_ERROR } : frame;
      });
    },
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
