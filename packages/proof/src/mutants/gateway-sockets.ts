import { isUtf8 } from 'node:buffer';
import type {
  Hooks,
  MutatedRequest,
  RelayedSocket,
  SocketEnd,
  SocketFrame,
  SocketMessage,
} from '../proxy/messages.ts';
import type { MutantContext, Rows } from './mutant.ts';
import { claimsOf, headOf, isSigned, readSignature } from './support/credentials.ts';
import { changeQuery, toGatewayResponse, toRefusal, upgraded } from './support/gateway.ts';

const [TEXT, BINARY, CLOSE, PING, PONG] = [1, 2, 8, 9, 10];

/** Changes the frames of one side. */
const frames = (
  from: SocketFrame['from'],
  change: (frame: SocketFrame) => SocketFrame | undefined,
): Hooks => ({ frame: (frame) => (frame.from === from ? change(frame) : frame) });

const ofOpcode = (
  from: SocketFrame['from'],
  opcode: number | undefined,
  change: (frame: SocketFrame) => SocketFrame | undefined,
): Hooks => frames(from, (frame) => (frame.opcode === opcode ? change(frame) : frame));

/** Changes the fragments of the caller's messages; `opcode` is that of the first one. */
const fragments =
  (change: (frame: SocketFrame, opcode: number, index: number) => SocketFrame | undefined) =>
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
      return change(frame, opcode, index);
    });
  };

/** Accepts handshakes whose credentials the server would reject. */
const accepts =
  (
    isAccepted: (
      value: string,
      request: Parameters<typeof isSigned>[0],
      context: MutantContext,
    ) => unknown,
  ) =>
  (context: MutantContext): Hooks => ({
    upgrade(request) {
      const value = request.headers.get('Authorization') ?? '';
      if (isAccepted(value, request, context))
        request.headers.set('Authorization', context.authorization);
    },
  });

const toFrame = (opcode: number, text = ''): SocketFrame => ({
  from: 'service',
  opcode,
  fin: true,
  data: Buffer.from(text),
});

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
  change: (message: SocketMessage) => SocketMessage | undefined,
): Hooks => ({
  message: (message) =>
    message.from === side && !message.data.toString().startsWith('!') ? change(message) : message,
});

/** Changes the bytes of one side's messages of a kind. */
const bytes = (
  kind: 'text' | 'binary',
  side: SocketMessage['from'],
  change: (data: Buffer) => Buffer,
): Hooks =>
  messages(side, (message) =>
    message.binary === (kind === 'binary') ? { ...message, data: change(message.data) } : message,
  );

/** Changes how a WebSocket ends that one side has closed. */
const changeClose = (
  change: (end: SocketEnd) => Partial<SocketEnd>,
  isWanted: (end: SocketEnd) => unknown = () => true,
): Hooks => ({ close: (end) => (isWanted(end) ? { ...end, ...change(end) } : end) });
const byService = ({ from }: SocketEnd) => from === 'service';
const byCaller = ({ from }: SocketEnd) => from === 'caller';

const handshake = (change: (headers: MutatedRequest['headers']) => unknown): Hooks => ({
  upgrade: ({ headers }) => change(headers),
});

export const gatewaySockets: Rows = {
  'GW-WS-UPGRADE': {
    'a handshake with a cookie is rejected': {
      upgrade: ({ headers }) =>
        headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST'),
    },
    'a handshake gets 200': handshake(() => toGatewayResponse(200, 'application/json', '{}')),
    'a handshake gets 426 because the upgrade was lost': handshake((headers) =>
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
    'each fragment arrives as a message of its own': fragments((frame, opcode) => ({
      ...frame,
      fin: true,
      opcode,
    })),
    'only the first fragment of a message arrives': fragments((frame, _, index) =>
      index > 0 ? undefined : { ...frame, fin: true },
    ),
    'a character that is split between two fragments is replaced': fragments((frame) => ({
      ...frame,
      data: Buffer.from(frame.data.toString()),
    })),
    'empty fragments are taken for the end of a message': fragments((frame) =>
      frame.data.length === 0 && frame.opcode === 0 ? { ...frame, fin: true } : frame,
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
      joined: (socket) => socket.send(toFrame(TEXT, 'connected')),
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
    'text is normalized': ofOpcode('service', TEXT, (frame) => ({
      ...frame,
      data: Buffer.from(frame.data.toString().normalize('NFC')),
    })),
    'text from the service arrives as binary': messages('service', (message) => ({
      ...message,
      binary: true,
    })),
    'text from the caller arrives as binary': messages('caller', (message) => ({
      ...message,
      binary: true,
    })),
    'empty messages are lost': messages('caller', (message) =>
      message.data.length === 0 && !message.binary ? undefined : message,
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
        opcode === BINARY && index === 0 && isUtf8(frame.data) ? { ...frame, opcode: TEXT } : frame,
    ),
    'the second fragment of a binary message is lost': fragments((frame, opcode, index) =>
      opcode === BINARY && index === 1 && !frame.fin ? undefined : frame,
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
    'pongs have no payload': ofOpcode('service', PONG, (frame) => ({
      ...frame,
      data: Buffer.alloc(0),
    })),
    'a ping with a payload closes the WebSocket': ofOpcode('caller', PING, (frame) =>
      frame.data.length > 0 ? { ...frame, opcode: CLOSE, data: Buffer.of(0x03, 0xea) } : frame,
    ),
    'a ping reaches the service as a text message': ofOpcode('caller', PING, (frame) => ({
      ...frame,
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
        return held && frame.fin ? { ...frame, opcode: CLOSE, data: Buffer.of(0x03, 0xea) } : frame;
      });
    },
  },
  'GW-WS-SUBPROTOCOL': {
    'only the first offered subprotocol reaches the service': {
      upgrade({ headers }) {
        const [first, ...rest] = headers.get('Sec-WebSocket-Protocol')?.split(/, */) ?? [];
        if (first && rest.length > 0) headers.set('Sec-WebSocket-Protocol', first);
      },
    },
    'the subprotocol chosen by the service does not reach the caller': upgraded(
      (response, request) => {
        const offered = request.headers.get('Sec-WebSocket-Protocol') ?? '';
        if (offered.includes(',')) response.headers.remove('Sec-WebSocket-Protocol');
      },
    ),
    'offered ones are lower-cased': handshake((headers) => {
      const offered = headers.get(NAME);
      if (offered) headers.set(NAME, offered.toLowerCase());
    }),
    'the caller gets the first one it offered': upgraded(({ headers }, request) => {
      const [first] = request.headers.get(NAME)?.split(/\s*,\s*/) ?? [];
      if (first) headers.set(NAME, first);
    }),
  },
  'GW-WS-CLOSE': {
    'the close reason sent by the service is lost': {
      close: (end) => (end.from === 'service' ? { ...end, reason: '' } : end),
    },
    'the service always receives the close code 1000': {
      close: (end) => (end.from === 'caller' ? { ...end, code: 1000 } : end),
    },
    'a close from the service without a code arrives as 1000': changeClose(
      () => ({ code: 1000 }),
      (end) => byService(end) && end.code === 1005,
    ),
    'a close from the caller without a code arrives as 1000': changeClose(
      () => ({ code: 1000 }),
      (end) => byCaller(end) && end.code === 1005,
    ),
    '1001 from the service arrives as 1000': changeClose(
      () => ({ code: 1000 }),
      (end) => byService(end) && end.code === 1001,
    ),
    'codes from 1012 on arrive as 1011': changeClose(
      () => ({ code: 1011 }),
      (end) => byService(end) && end.code >= 1012 && end.code < 3000,
    ),
    '1003 arrives as 1002': changeClose(
      () => ({ code: 1002 }),
      (end) => byService(end) && end.code === 1003,
    ),
    'codes from 3001 to 3999 from the caller arrive as 3000': changeClose(
      () => ({ code: 3000 }),
      (end) => byCaller(end) && end.code > 3000 && end.code < 4000,
    ),
    'a code from the service from 4000 on becomes 1000': changeClose(
      () => ({ code: 1000 }),
      (end) => byService(end) && end.code >= 4000,
    ),
    'a code from the service becomes 1005': changeClose(() => ({ code: 1005 }), byService),
    'a code from the caller becomes 1001': changeClose(() => ({ code: 1001 }), byCaller),
    "the caller's reason is lost": changeClose(() => ({ reason: '' }), byCaller),
    'a reason beyond ASCII is mangled': changeClose(({ reason }) => ({
      reason: Buffer.from(reason)
        .toString('ascii')
        .replace(/[^ -~]/g, '?'),
    })),
    'a reason is truncated to 32 characters': changeClose(({ reason }) => ({
      reason: reason.slice(0, 32),
    })),
    '1000 from the caller with a reason becomes 1005': changeClose(
      () => ({ code: 1005 }),
      (end) => byCaller(end) && end.code === 1000 && end.reason,
    ),
  },
  'GW-WS-AUTH': {
    'a handshake without credentials is accepted': ({ authorization }) => ({
      upgrade({ headers }) {
        if (headers.get('Authorization') === undefined) headers.set('Authorization', authorization);
      },
    }),
    'a rejected handshake has no body': {
      response(response, { headers }) {
        if (headers.get('Upgrade') && response.status === 401) response.body = Buffer.alloc(0);
      },
    },
    'a handshake signed with another secret is accepted': accepts(
      (_, request) => readSignature(request)?.Signature?.length === 64,
    ),
    'a handshake with a token of the algorithm none is accepted': accepts(
      (value) => headOf(value)?.alg === 'none' && claimsOf(value),
    ),
    'a handshake with a forged token is accepted': accepts(
      (value, _, { authorization }) =>
        value.split('.').slice(0, 2).join('.') === authorization.split('.').slice(0, 2).join('.'),
    ),
    'a handshake with a valid token and the wrong scheme is accepted': accepts(
      (value, _, { authorization }) => value.endsWith(` ${authorization.split(' ')[1]}`),
    ),
    'a handshake with a token from another environment is accepted': ({
      authorization,
      otherAuthorization,
    }) =>
      handshake((headers) => {
        if (headers.get('Authorization') === otherAuthorization)
          headers.set('Authorization', authorization);
      }),
    'a rejected handshake gets an HTML page': handshake((headers) =>
      headers.get('Authorization')
        ? undefined
        : toGatewayResponse(401, 'text/html', '<h1>401</h1>'),
    ),
    'a rejected handshake gets 500': handshake((headers) =>
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
    'a signed handshake is rejected': {
      upgrade: (request) =>
        readSignature(request) ? toRefusal(401, 'ACCESS_TOKEN_INVALID') : undefined,
    },
    'a handshake is verified as a GET of the root': (context) => ({
      upgrade: (request) =>
        readSignature(request) && !isSigned(request, context, { path: '/' })
          ? toRefusal(401, 'SIGNATURE_WRONG')
          : undefined,
    }),
  },
  'AU-BEARER': {
    'a handshake with a token is rejected': {
      upgrade: ({ headers }) =>
        headers.get('Authorization')?.startsWith('Bearer ')
          ? toRefusal(401, 'SIGNATURE_REQUIRED')
          : undefined,
    },
  },
  'GW-QUERY-RAW': {
    'escapes in the query of a handshake are upper-cased': {
      upgrade: (request) =>
        changeQuery(request, (query) => query.replace(/%[\da-f]{2}/gi, (one) => one.toUpperCase())),
    },
  },
};
