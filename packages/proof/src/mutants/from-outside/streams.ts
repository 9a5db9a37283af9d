import type { Hooks, MutatedRequest, SocketEnd, SocketMessage } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  callAgain,
  changeText,
  mediaTypeOf,
  setHeader,
  toGatewayResponse,
  toRefusal,
  upgraded,
} from '../support/gateway.ts';

const NAME = 'Sec-WebSocket-Protocol';
const isEvents = ({ isGateway, target }: MutatedRequest) => isGateway && /\/events\?/.test(target);

/** Changes event streams, except those that wait for their release, which must remain streams. */
const events =
  (change: (text: string) => string): Mutant['create'] =>
  (context) => ({
    async request(request) {
      if (!isEvents(request) || /hold=/.test(request.query)) return;
      const response = await callAgain(context, request);
      if (mediaTypeOf(response) === 'text/event-stream') changeText(change)(response);
      return response;
    },
  });

/** Changes the messages of one side, except commands to the fixture. */
const messages = (
  side: SocketMessage['from'],
  change: (message: SocketMessage) => SocketMessage | undefined,
): Hooks => ({
  message: (message) =>
    message.from === side && !message.data.toString().startsWith('!') ? change(message) : message,
});

/** Changes the bytes of one side's text or binary messages. */
const bytes = (
  rule: 'GW-WS-TEXT' | 'GW-WS-BINARY',
  breaks: string,
  side: SocketMessage['from'],
  change: (data: Buffer) => Buffer,
): Mutant =>
  mutant(
    rule,
    breaks,
    messages(side, (message) =>
      message.binary === (rule === 'GW-WS-BINARY')
        ? { ...message, data: change(message.data) }
        : message,
    ),
  );

/** Changes how a WebSocket ends that one side has closed. */
const closes = (
  change: (end: SocketEnd) => Partial<SocketEnd>,
  isWanted: (end: SocketEnd) => unknown = () => true,
): Hooks => ({ close: (end) => (isWanted(end) ? { ...end, ...change(end) } : end) });
const byService = ({ from }: SocketEnd) => from === 'service';
const byCaller = ({ from }: SocketEnd) => from === 'caller';

const handshake = (change: (headers: MutatedRequest['headers']) => unknown): Hooks => ({
  upgrade: ({ headers }) => change(headers),
});

/** Mutants that change event streams and WebSockets, as some real gateways do. */
export const streams: readonly Mutant[] = [
  ...mutantsOf('GW-SSE', {
    'the last event is lost': events((text) =>
      text.replace(/(?<=\n\n)[^\n]+\n(?:[^\n]+\n)*\n$/, ''),
    ),
    'IDs are lost': events((text) => text.replace(/^id:.*\n/gm, '')),
    'the first event arrives twice': events((text) => text.replace(/^[\s\S]*?\n\n/, '$&$&')),
    'events arrive in reverse order': events((text) =>
      text
        .split(/(?<=\n\n)/)
        .reverse()
        .join(''),
    ),
    'events are joined': events((text) => text.replace(/(?<=.)\n\n(?=.)/g, '\n')),
    'it has the content type text/plain': {
      response(response) {
        if (mediaTypeOf(response) === 'text/event-stream')
          setHeader('Content-Type', 'text/plain')(response);
      },
    },
    'only the first event arrives on POST': (context) => ({
      async request(request) {
        if (!isEvents(request) || request.method !== 'POST') return;
        const response = await callAgain(context, request);
        changeText((text) => `${text.split('\n\n', 1)[0]}\n\n`)(response);
        return response;
      },
    }),
  }),
  mutant('GW-SSE-UNBUFFERED', 'a stream requested with POST is buffered', (context) => ({
    request: (request) =>
      isEvents(request) && request.method === 'POST' ? callAgain(context, request) : undefined,
  })),
  ...mutantsOf('GW-WS-UPGRADE', {
    'a handshake gets 200': handshake(() => toGatewayResponse(200, 'application/json', '{}')),
    'a handshake gets 426 because the upgrade was lost': handshake((headers) =>
      headers.get('Authorization') ? toGatewayResponse(426) : undefined,
    ),
  }),
  ...mutantsOf('GW-WS-TEXT', {
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
  }),
  bytes('GW-WS-TEXT', 'what follows 65,535 bytes is lost', 'caller', (data) =>
    data.subarray(0, 65_535),
  ),
  bytes('GW-WS-TEXT', 'what follows 16 KiB is lost', 'service', (data) => data.subarray(0, 16_384)),
  bytes('GW-WS-TEXT', 'texts are trimmed', 'caller', (data) => Buffer.from(data.toString().trim())),
  bytes('GW-WS-TEXT', 'a byte order mark is lost', 'caller', (data) =>
    Buffer.from(data.toString().replace(/^\uFEFF/, '')),
  ),
  bytes('GW-WS-TEXT', 'characters beyond ASCII are lost', 'service', (data) =>
    Buffer.from(data.toString('ascii')),
  ),
  ...mutantsOf('GW-WS-TEXT', {
    'two consecutive messages from the service are swapped': () => {
      let held: SocketMessage | undefined;
      return {
        message(message) {
          if (message.binary || !/^[1-2]$/.test(message.data.toString())) return message;
          const both = held && [message, held];
          held = held ? undefined : message;
          return both;
        },
      };
    },
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
  }),
  ...mutantsOf('GW-WS-BINARY', {
    'binary arrives as text': messages('service', (message) => ({
      ...message,
      binary: false,
    })),
    'binary that is UTF-8 arrives as text': messages('service', (message) => ({
      ...message,
      binary: message.binary && !Buffer.from(message.data.toString()).equals(message.data),
    })),
    'empty binary messages are lost': messages('caller', (message) =>
      message.binary && message.data.length === 0 ? undefined : message,
    ),
  }),
  bytes('GW-WS-BINARY', 'bytes that are not UTF-8 are replaced', 'caller', (data) =>
    Buffer.from(data.toString()),
  ),
  bytes('GW-WS-BINARY', 'what follows 32 KiB is lost', 'service', (data) =>
    data.subarray(0, 32_768),
  ),
  bytes('GW-WS-BINARY', 'a trailing zero byte is lost', 'caller', (data) =>
    data.at(-1) === 0 ? data.subarray(0, -1) : data,
  ),
  ...mutantsOf('GW-WS-SUBPROTOCOL', {
    'only the first offered reaches the service': handshake((headers) => {
      const offered = headers.get(NAME);
      if (offered) headers.set(NAME, offered.split(',')[0] ?? '');
    }),
    'offered ones are lower-cased': handshake((headers) => {
      const offered = headers.get(NAME);
      if (offered) headers.set(NAME, offered.toLowerCase());
    }),
    'the caller gets the first one it offered': upgraded(({ headers }, request) => {
      const [first] = request.headers.get(NAME)?.split(/\s*,\s*/) ?? [];
      if (first) headers.set(NAME, first);
    }),
    'the caller gets none': upgraded(({ headers }) => headers.remove(NAME)),
  }),
  ...mutantsOf('GW-WS-CLOSE', {
    'a code from the service from 4000 on becomes 1000': closes(
      () => ({ code: 1000 }),
      (end) => byService(end) && end.code >= 4000,
    ),
    'a code from the service becomes 1005': closes(() => ({ code: 1005 }), byService),
    'a code from the caller becomes 1001': closes(() => ({ code: 1001 }), byCaller),
    "the caller's reason is lost": closes(() => ({ reason: '' }), byCaller),
    "the service's reason is lost": closes(() => ({ reason: '' }), byService),
    'a reason beyond ASCII is mangled': closes(({ reason }) => ({
      reason: Buffer.from(reason)
        .toString('ascii')
        .replace(/[^ -~]/g, '?'),
    })),
    'a reason is truncated to 32 characters': closes(({ reason }) => ({
      reason: reason.slice(0, 32),
    })),
    '1000 from the caller with a reason becomes 1005': closes(
      () => ({ code: 1005 }),
      (end) => byCaller(end) && end.code === 1000 && end.reason,
    ),
  }),
  ...mutantsOf('GW-WS-AUTH', {
    'credentials of a handshake are not checked': ({ authorization }) =>
      handshake((headers) => headers.set('Authorization', authorization)),
    'a handshake with any token is accepted': ({ authorization }) =>
      handshake((headers) => {
        if (headers.get('Authorization')?.startsWith('Bearer'))
          headers.set('Authorization', authorization);
      }),
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
  }),
];
