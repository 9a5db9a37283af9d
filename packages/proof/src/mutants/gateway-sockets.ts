import { isUtf8 } from 'node:buffer';
import type {
  Hooks,
  MutatedRequest,
  RelayedSocket,
  SocketEnd,
  SocketFrame,
  SocketMessage,
} from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import {
  acceptHandshake,
  claimsOf,
  headOf,
  isSigned,
  readSignature,
} from './support/credentials.ts';
import { setHeader, toGatewayResponse, toRefusal, upgraded } from './support/gateway.ts';

const [TEXT = 1, BINARY, CLOSE = 8, PING, PONG] = [1, 2, 8, 9, 10];
/** A close with the code 1002. */
const PROTOCOL_ERROR = { opcode: CLOSE, data: Buffer.of(0x03, 0xea) };

/** Changes the frames of one side. */
const frames = (
  from: SocketFrame['from'],
  change: (frame: SocketFrame) => SocketFrame | undefined,
): Hooks => ({ frame: (frame) => (frame.from === from ? change(frame) : frame) });

/** Changes, or drops, the frames of one kind. */
const ofOpcode = (
  from: SocketFrame['from'],
  opcode: number | undefined,
  change: (data: Buffer) => Partial<SocketFrame> | undefined,
): Hooks =>
  frames(from, (frame) => {
    const changed = frame.opcode === opcode ? change(frame.data) : {};
    return changed && { ...frame, ...changed };
  });

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

/** Acts on sockets that have been open for a while. */
const afterWhile = (milliseconds: number, act: (socket: RelayedSocket) => void): Hooks => {
  const timers = new WeakMap<RelayedSocket, NodeJS.Timeout>();
  const start = (socket: RelayedSocket) => {
    clearTimeout(timers.get(socket));
    timers.set(socket, setTimeout(act, milliseconds, socket).unref());
  };
  return {
    joined: start,
    frame(frame, socket) {
      start(socket);
      return frame;
    },
  };
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
const changeReason = (change: (reason: string) => string): Hooks => ({
  close: (end) => ({ ...end, reason: change(end.reason) }),
});
const ANY = [0, 4999] as const;

const handshake = (upgrade: (request: MutatedRequest) => unknown): Hooks => ({ upgrade });

export const gatewaySockets: Rows = {
  'GW-WS-UPGRADE': {
    'a handshake with a cookie is rejected': handshake(({ headers }) =>
      headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST'),
    ),
    'a handshake gets 200': handshake(() => toGatewayResponse(200, 'application/json', '{}')),
    'a handshake gets 426 because the upgrade was lost': handshake(({ headers }) =>
      headers.get('Authorization') ? toGatewayResponse(426) : undefined,
    ),
  },
  'GW-WS-TEXT': {
    'text messages of more than 16,384 bytes are lost': {
      message: (message) => (!message.binary && message.data.length > 16_384 ? undefined : message),
    },
    'two short text messages from the service arrive in the wrong order': () => {
      let held: SocketMessage | undefined;
      return {
        message(message) {
          const text = message.data.toString();
          if (message.from === 'caller' || message.binary) return message;
          if (text === '100') {
            held = message;
            return undefined;
          }
          return text === '101' && held ? [message, held] : message;
        },
      };
    },
    'each fragment arrives as a message of its own': fragments((_, opcode) => ({
      fin: true,
      opcode,
    })),
    'only the first fragment of a message arrives': fragments((_, __, index) =>
      index > 0 ? undefined : { fin: true },
    ),
    'a character that is split between two fragments is replaced': fragments(({ data }) => ({
      data: Buffer.from(data.toString()),
    })),
    'empty fragments are taken for the end of a message': fragments(({ data, opcode }) =>
      data.length === 0 && opcode === 0 ? { fin: true } : {},
    ),
    'messages that the service sends before the caller are lost': () => {
      const spoken = new WeakSet<RelayedSocket>();
      return {
        frame(frame, socket) {
          if (frame.from === 'caller') spoken.add(socket);
          return frame.from === 'service' && frame.opcode < CLOSE && !spoken.has(socket)
            ? undefined
            : frame;
        },
      };
    },
    'messages of the service wait until the caller has sent one': () => {
      const spoken = new WeakSet<RelayedSocket>();
      const held = new WeakMap<RelayedSocket, SocketFrame[]>();
      return {
        frame(frame, socket) {
          const waiting = held.get(socket) ?? [];
          held.set(socket, waiting);
          if (frame.from === 'caller') {
            spoken.add(socket);
            for (const one of waiting.splice(0)) socket.send(one);
          } else if (!spoken.has(socket) && frame.opcode < CLOSE) {
            waiting.push(frame);
            return undefined;
          }
          return frame;
        },
      };
    },
    'the gateway greets the caller with a message': {
      joined: (socket) =>
        socket.send({ from: 'service', opcode: 1, fin: true, data: Buffer.from('connected') }),
    },
    'messages of two WebSockets that are open at the same time are swapped': () => {
      const open: RelayedSocket[] = [];
      return {
        joined: (socket) => void open.push(socket),
        frame(frame, socket) {
          if (frame.opcode === CLOSE && open.includes(socket)) open.splice(open.indexOf(socket), 1);
          const isData = frame.from === 'service' && frame.opcode < CLOSE;
          const other = open.find((one) => one !== socket);
          if (!isData || !other || /^\{"target"/.test(frame.data.toString())) return frame;
          other.send(frame);
          return undefined;
        },
      };
    },
    'a WebSocket is closed after two seconds without messages': afterWhile(2000, (socket) =>
      socket.end(),
    ),
    'text is normalized': ofOpcode('service', TEXT, (data) => ({
      data: Buffer.from(data.toString().normalize('NFC')),
    })),
    'text from the service arrives as binary': messages('service', () => ({ binary: true })),
    'text from the caller arrives as binary': messages('caller', () => ({ binary: true })),
    'empty messages are lost': messages('caller', ({ data, binary }) =>
      data.length === 0 && !binary ? undefined : {},
    ),
    'what follows 65,535 bytes is lost': bytes('text', 'caller', (data) =>
      data.subarray(0, 65_535),
    ),
    'what follows 16 KiB is lost': bytes('text', 'service', (data) => data.subarray(0, 16_384)),
    'texts are trimmed': bytes('text', 'caller', (data) => Buffer.from(data.toString().trim())),
    'a byte order mark is lost': bytes('text', 'caller', (data) =>
      Buffer.from(data.toString().replace(/^\uFEFF/, '')),
    ),
    'characters beyond ASCII are lost': bytes('text', 'service', (data) =>
      Buffer.from(data.toString('ascii')),
    ),
    'a message sent right after the handshake is lost': () => {
      let isLost = false;
      return {
        message(message) {
          const isControl = message.data.toString().startsWith('!');
          if (message.from !== 'caller' || isControl || message.binary || isLost) return message;
          isLost = true;
          return undefined;
        },
      };
    },
  },
  'GW-WS-BINARY': {
    'binary messages that contain text arrive as text messages': {
      message(message) {
        const isText = isUtf8(message.data) && message.data.length > 1;
        return message.binary && isText ? { ...message, binary: false } : message;
      },
    },
    'empty binary messages are dropped': {
      message: (message) => (message.binary && message.data.length === 0 ? undefined : message),
    },
    'the fragments of a binary message arrive as text if they can': fragments(
      (frame, opcode, index) =>
        opcode === BINARY && index === 0 && isUtf8(frame.data) ? { opcode: TEXT } : {},
    ),
    'the second fragment of a binary message is lost': fragments((frame, opcode, index) =>
      opcode === BINARY && index === 1 && !frame.fin ? undefined : {},
    ),
    'bytes that are not UTF-8 are replaced': bytes('binary', 'caller', (data) =>
      Buffer.from(data.toString()),
    ),
    'what follows 32 KiB is lost': bytes('binary', 'service', (data) => data.subarray(0, 32_768)),
    'a trailing zero byte is lost': bytes('binary', 'caller', (data) =>
      data.at(-1) === 0 ? data.subarray(0, -1) : data,
    ),
  },
  'GW-WS-PING': {
    'control frames other than closes are dropped': {
      frame: (frame) => (frame.opcode > 8 ? undefined : frame),
    },
    'pings are dropped': ofOpcode('caller', PING, () => undefined),
    'pongs are dropped': ofOpcode('service', PONG, () => undefined),
    'pongs have no payload': ofOpcode('service', PONG, () => ({ data: Buffer.alloc(0) })),
    'a ping with a payload closes the WebSocket': ofOpcode('caller', PING, (data) =>
      data.length > 0 ? PROTOCOL_ERROR : {},
    ),
    'a ping reaches the service as a text message': ofOpcode('caller', PING, () => ({
      opcode: TEXT,
    })),
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
    'offered ones are lower-cased': handshake(
      setHeader(NAME, (offered) => offered.toLowerCase() || undefined),
    ),
    'the caller gets the first one it offered': upgraded(({ headers }, request) => {
      const [first] = request.headers.get(NAME)?.split(/\s*,\s*/) ?? [];
      if (first) headers.set(NAME, first);
    }),
  },
  'GW-WS-CLOSE': {
    'the close reason sent by the service is lost': closes('service', ANY, { reason: '' }),
    'the service always receives the close code 1000': closes('caller', ANY, { code: 1000 }),
    ...eachOf(
      [
        ['a close from the service without a code arrives as 1000', 'service', [1005, 1005], 1000],
        ['a close from the caller without a code arrives as 1000', 'caller', [1005, 1005], 1000],
        ['1001 from the service arrives as 1000', 'service', [1001, 1001], 1000],
        ['codes from 1012 on arrive as 1011', 'service', [1012, 2999], 1011],
        ['1003 arrives as 1002', 'service', [1003, 1003], 1002],
        ['codes from 3001 to 3999 from the caller arrive as 3000', 'caller', [3001, 3999], 3000],
        ['a code from the service from 4000 on becomes 1000', 'service', [4000, 4999], 1000],
        ['a code from the service becomes 1005', 'service', ANY, 1005],
        ['a code from the caller becomes 1001', 'caller', ANY, 1001],
      ] as const,
      ([breaks, from, codes, code]) => [breaks, closes(from, codes, { code })],
    ),
    "the caller's reason is lost": closes('caller', ANY, { reason: '' }),
    'a reason beyond ASCII is mangled': changeReason((reason) =>
      Buffer.from(reason)
        .toString('ascii')
        .replace(/[^ -~]/g, '?'),
    ),
    'a reason is truncated to 32 characters': changeReason((reason) => reason.slice(0, 32)),
    '1000 from the caller with a reason becomes 1005': {
      close(end) {
        const isWanted = end.from === 'caller' && end.code === 1000 && end.reason;
        return isWanted ? { ...end, code: 1005 } : end;
      },
    },
  },
  'GW-WS-AUTH': {
    'a handshake without credentials is accepted': acceptHandshake((value) => value === undefined),
    'a rejected handshake has no body': {
      response(response, { headers }) {
        if (headers.get('Upgrade') && response.status === 401) response.body = Buffer.alloc(0);
      },
    },
    'a handshake signed with another secret is accepted': acceptHandshake(
      (_, request) => readSignature(request)?.Signature?.length === 64,
    ),
    'a handshake with a token of the algorithm none is accepted': acceptHandshake(
      (value) => headOf(value)?.alg === 'none' && claimsOf(value),
    ),
    'a handshake with a forged token is accepted': acceptHandshake(
      (value, _, { authorization }) =>
        value?.split('.').slice(0, 2).join('.') === authorization.split('.').slice(0, 2).join('.'),
    ),
    'a handshake with a valid token and the wrong scheme is accepted': acceptHandshake(
      (value, _, { authorization }) => value?.endsWith(` ${authorization.split(' ')[1]}`),
    ),
    'a handshake with a token from another environment is accepted': acceptHandshake(
      (value, _, { otherAuthorization }) => value === otherAuthorization,
    ),
    'a rejected handshake gets an HTML page': handshake(({ headers }) =>
      headers.get('Authorization')
        ? undefined
        : toGatewayResponse(401, 'text/html', '<h1>401</h1>'),
    ),
    'a rejected handshake gets 500': handshake(({ headers }) =>
      headers.get('Authorization') ? undefined : toRefusal(500, 'SYS_ERR'),
    ),
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
    'a signed handshake is rejected': handshake((request) =>
      readSignature(request) ? toRefusal(401, 'ACCESS_TOKEN_INVALID') : undefined,
    ),
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
