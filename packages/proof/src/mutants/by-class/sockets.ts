import { isUtf8 } from 'node:buffer';
import type { Hooks, RelayedSocket, SocketEnd, SocketFrame } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutantsOf } from '../mutant.ts';
import { claimsOf, headOf, isSigned, readSignature } from '../support/credentials.ts';
import { changeQuery, toRefusal } from '../support/gateway.ts';

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

/** Changes how a WebSocket ends that one side has closed. */
const closes = (
  from: SocketEnd['from'],
  isWanted: (code: number) => boolean,
  code: number,
): Hooks => ({
  close: (end) => (end.from === from && isWanted(end.code) ? { ...end, code } : end),
});

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

/** Mutants that change what passes through a WebSocket (D14; RFC 6455). */
export const sockets: readonly Mutant[] = [
  ...mutantsOf('GW-WS-TEXT', {
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
  }),
  ...mutantsOf('GW-WS-BINARY', {
    'the fragments of a binary message arrive as text if they can': fragments(
      (frame, opcode, index) =>
        opcode === BINARY && index === 0 && isUtf8(frame.data) ? { ...frame, opcode: TEXT } : frame,
    ),
    'the second fragment of a binary message is lost': fragments((frame, opcode, index) =>
      opcode === BINARY && index === 1 && !frame.fin ? undefined : frame,
    ),
  }),
  ...mutantsOf('GW-WS-PING', {
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
  }),
  ...mutantsOf('GW-WS-CLOSE', {
    'a close from the service without a code arrives as 1000': closes(
      'service',
      (code) => code === 1005,
      1000,
    ),
    'a close from the caller without a code arrives as 1000': closes(
      'caller',
      (code) => code === 1005,
      1000,
    ),
    '1001 from the service arrives as 1000': closes('service', (code) => code === 1001, 1000),
    'codes from 1012 on arrive as 1011': closes(
      'service',
      (code) => code >= 1012 && code < 3000,
      1011,
    ),
    '1003 arrives as 1002': closes('service', (code) => code === 1003, 1002),
    'codes from 3001 to 3999 from the caller arrive as 3000': closes(
      'caller',
      (code) => code > 3000 && code < 4000,
      3000,
    ),
  }),
  ...mutantsOf('GW-WS-AUTH', {
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
  }),
  ...mutantsOf('AU-SIGNATURE', {
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
  }),
  ...mutantsOf('AU-BEARER', {
    'a handshake with a token is rejected': {
      upgrade: ({ headers }) =>
        headers.get('Authorization')?.startsWith('Bearer ')
          ? toRefusal(401, 'SIGNATURE_REQUIRED')
          : undefined,
    },
  }),
  ...mutantsOf('GW-QUERY-RAW', {
    'escapes in the query of a handshake are upper-cased': {
      upgrade: (request) =>
        changeQuery(request, (query) => query.replace(/%[\da-f]{2}/gi, (one) => one.toUpperCase())),
    },
  }),
];
