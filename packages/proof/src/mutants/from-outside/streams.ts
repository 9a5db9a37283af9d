import { MutatedAnswer, type SocketMessage } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/answers.ts';
import { toRefusal } from '../support/refusals.ts';
import { fault } from './fault.ts';

const events = (
  breaks: string,
  change: (text: string) => string,
  companions: Mutant['companions'] = [],
): Mutant =>
  fault(
    'GW-SSE',
    breaks,
    (context) => ({
      // Not with `buffersEvents`: a stream that waits for its release has to stay a stream.
      async request(request) {
        if (!request.isGateway || !/\/events\?/.test(request.target) || /hold=/.test(request.query))
          return;
        const headers = Object.fromEntries(
          request.headers.list.filter(
            ([name]) => !/^(connection|content-length|transfer-encoding)$/i.test(name),
          ),
        );
        const answer = await context.call({
          method: request.method,
          target: request.target,
          headers,
          body: request.body,
        });
        if (mediaTypeOf(answer) === 'text/event-stream')
          answer.body = Buffer.from(change(answer.body.toString()));
        return answer;
      },
    }),
    companions,
  );

const from = (
  side: SocketMessage['from'],
  change: (message: SocketMessage) => SocketMessage | SocketMessage[] | undefined,
) => ({
  message: (message: SocketMessage) =>
    message.from === side && !message.data.toString().startsWith('!') ? change(message) : message,
});
const pairs = (isWanted: (message: SocketMessage) => boolean) => () => {
  let held: SocketMessage | undefined;
  return {
    message(message: SocketMessage) {
      if (!isWanted(message)) return message;
      if (!held) {
        held = message;
        return undefined;
      }
      const both = [message, held];
      held = undefined;
      return both;
    },
  };
};

/** What gateways do to event streams and WebSockets. */
export const streams: readonly Mutant[] = [
  events('the last event is lost', (text) => text.replace(/(?<=\n\n)[^\n]+\n(?:[^\n]+\n)*\n$/, '')),
  events('ids are lost', (text) => text.replace(/^id:.*\n/gm, '')),
  events('the first event comes twice', (text) => text.replace(/^[\s\S]*?\n\n/, '$&$&')),
  events('events come in the reverse order', (text) =>
    text
      .split(/(?<=\n\n)/)
      .reverse()
      .join(''),
  ),
  events('events are joined', (text) => text.replace(/(?<=.)\n\n(?=.)/g, '\n')),
  fault(
    'GW-SSE',
    'it is answered as text/plain',
    {
      answer(answer) {
        if (mediaTypeOf(answer) === 'text/event-stream')
          answer.headers.set('Content-Type', 'text/plain');
      },
    },
    ['GW-HEADERS'],
  ),
  fault('GW-SSE', 'only the first event comes on POST', (context) => ({
    async request(request) {
      if (!request.isGateway || request.method !== 'POST' || !/\/events\?/.test(request.target))
        return;
      const answer = await context.call({
        method: 'POST',
        target: request.target,
        headers: Object.fromEntries(request.headers.list),
        body: request.body,
      });
      answer.body = Buffer.from(`${answer.body.toString().split('\n\n', 1)[0]}\n\n`);
      return answer;
    },
  })),
  fault('GW-SSE-UNBUFFERED', 'a stream that was asked for with POST is buffered', (context) => ({
    async request(request) {
      if (!request.isGateway || request.method !== 'POST' || !/\/events\?/.test(request.target))
        return;
      return context.call({
        method: 'POST',
        target: request.target,
        headers: Object.fromEntries(request.headers.list),
        body: request.body,
      });
    },
  })),
  fault('GW-WS-UPGRADE', 'a handshake gets 200', {
    upgrade: () =>
      new MutatedAnswer(
        200,
        { 'Content-Type': 'application/json', 'X-Request-Id': crypto.randomUUID() },
        '{}',
      ),
  }),
  fault('GW-WS-UPGRADE', 'a handshake gets 426, for the upgrade was lost on the way', {
    upgrade: ({ headers }) =>
      headers.get('Authorization')
        ? new MutatedAnswer(426, { 'X-Request-Id': crypto.randomUUID() })
        : undefined,
  }),
  fault(
    'GW-WS-TEXT',
    'text of the service comes as binary',
    from('service', (message) => ({ ...message, binary: true })),
  ),
  fault(
    'GW-WS-TEXT',
    'text of the caller comes as binary',
    from('caller', (message) => ({ ...message, binary: true })),
  ),
  fault(
    'GW-WS-TEXT',
    'empty messages are lost',
    from('caller', (message) =>
      message.data.length === 0 && !message.binary ? undefined : message,
    ),
  ),
  fault(
    'GW-WS-TEXT',
    'what follows 65,535 bytes is lost',
    from('caller', (message) =>
      message.binary ? message : { ...message, data: message.data.subarray(0, 65_535) },
    ),
  ),
  fault(
    'GW-WS-TEXT',
    'what follows 16 KiB is lost',
    from('service', (message) =>
      message.binary ? message : { ...message, data: message.data.subarray(0, 16_384) },
    ),
  ),
  fault(
    'GW-WS-TEXT',
    'texts are trimmed',
    from('caller', (message) =>
      message.binary ? message : { ...message, data: Buffer.from(message.data.toString().trim()) },
    ),
  ),
  fault(
    'GW-WS-TEXT',
    'a byte order mark is lost',
    from('caller', (message) =>
      message.binary
        ? message
        : { ...message, data: Buffer.from(message.data.toString().replace(/^\uFEFF/, '')) },
    ),
  ),
  fault(
    'GW-WS-TEXT',
    'characters beyond ASCII are lost',
    from('service', (message) =>
      message.binary ? message : { ...message, data: Buffer.from(message.data.toString('ascii')) },
    ),
  ),
  fault(
    'GW-WS-TEXT',
    'two messages of the service in a row change places',
    pairs(({ binary, data }) => !binary && /^[1-2]$/.test(data.toString())),
  ),
  fault('GW-WS-TEXT', 'a message that comes right after the handshake is lost', () => {
    let isLost = false;
    return from('caller', (message) => {
      if (message.binary || isLost) return message;
      isLost = true;
      return undefined;
    });
  }),
  fault(
    'GW-WS-BINARY',
    'binary comes as text',
    from('service', (message) => ({ ...message, binary: false })),
    ['GW-WS-TEXT'],
  ),
  fault(
    'GW-WS-BINARY',
    'binary that is UTF-8 comes as text',
    from('service', (message) =>
      message.binary && Buffer.from(message.data.toString()).equals(message.data)
        ? { ...message, binary: false }
        : message,
    ),
  ),
  fault(
    'GW-WS-BINARY',
    'empty binary messages are lost',
    from('caller', (message) =>
      message.binary && message.data.length === 0 ? undefined : message,
    ),
  ),
  fault(
    'GW-WS-BINARY',
    'bytes that are no UTF-8 are replaced',
    from('caller', (message) =>
      message.binary ? { ...message, data: Buffer.from(message.data.toString()) } : message,
    ),
  ),
  fault(
    'GW-WS-BINARY',
    'what follows 32 KiB is lost',
    from('service', (message) =>
      message.binary ? { ...message, data: message.data.subarray(0, 32_768) } : message,
    ),
  ),
  fault(
    'GW-WS-BINARY',
    'a zero at the end is lost',
    from('caller', (message) =>
      message.binary && message.data.at(-1) === 0
        ? { ...message, data: message.data.subarray(0, -1) }
        : message,
    ),
  ),
  fault('GW-WS-SUBPROTOCOL', 'only the first offered reaches the service', {
    upgrade({ headers }) {
      const offered = headers.get('Sec-WebSocket-Protocol');
      if (offered) headers.set('Sec-WebSocket-Protocol', offered.split(',')[0] ?? '');
    },
  }),
  fault('GW-WS-SUBPROTOCOL', 'offered ones are lower-cased', {
    upgrade({ headers }) {
      const offered = headers.get('Sec-WebSocket-Protocol');
      if (offered) headers.set('Sec-WebSocket-Protocol', offered.toLowerCase());
    },
  }),
  fault('GW-WS-SUBPROTOCOL', 'the caller is told the first that it offered', {
    upgraded({ headers }, request) {
      const [first] = request.headers.get('Sec-WebSocket-Protocol')?.split(/\s*,\s*/) ?? [];
      if (first) headers.set('Sec-WebSocket-Protocol', first);
    },
  }),
  fault('GW-WS-SUBPROTOCOL', 'the caller is told none', {
    upgraded: ({ headers }) => headers.remove('Sec-WebSocket-Protocol'),
  }),
  fault('GW-WS-CLOSE', 'a code of the service from 4000 on becomes 1000', {
    close: (end) => (end.from === 'service' && end.code >= 4000 ? { ...end, code: 1000 } : end),
  }),
  fault('GW-WS-CLOSE', 'a code of the service becomes 1005', {
    close: (end) => (end.from === 'service' ? { ...end, code: 1005 } : end),
  }),
  fault('GW-WS-CLOSE', 'a code of the caller becomes 1001', {
    close: (end) => (end.from === 'caller' ? { ...end, code: 1001 } : end),
  }),
  fault('GW-WS-CLOSE', 'the reason of the caller is lost', {
    close: (end) => (end.from === 'caller' ? { ...end, reason: '' } : end),
  }),
  fault('GW-WS-CLOSE', 'the reason of the service is lost', {
    close: (end) => (end.from === 'service' ? { ...end, reason: '' } : end),
  }),
  fault('GW-WS-CLOSE', 'a reason beyond ASCII is mangled', {
    close: (end) => ({
      ...end,
      reason: Buffer.from(end.reason)
        .toString('ascii')
        .replace(/[^ -~]/g, '?'),
    }),
  }),
  fault('GW-WS-CLOSE', 'a reason is cut at 32 characters', {
    close: (end) => ({ ...end, reason: end.reason.slice(0, 32) }),
  }),
  fault('GW-WS-CLOSE', '1000 of the caller with a reason becomes 1005', {
    close: (end) =>
      end.from === 'caller' && end.code === 1000 && end.reason ? { ...end, code: 1005 } : end,
  }),
  fault('GW-WS-AUTH', 'credentials of a handshake are not looked at', ({ authorization }) => ({
    upgrade: ({ headers }) => headers.set('Authorization', authorization),
  })),
  fault('GW-WS-AUTH', 'a handshake with any token is let through', ({ authorization }) => ({
    upgrade({ headers }) {
      if (headers.get('Authorization')?.startsWith('Bearer'))
        headers.set('Authorization', authorization);
    },
  })),
  fault(
    'GW-WS-AUTH',
    'a handshake with a token of another environment is let through',
    ({ authorization, otherAuthorization }) => ({
      upgrade({ headers }) {
        if (headers.get('Authorization') === otherAuthorization)
          headers.set('Authorization', authorization);
      },
    }),
  ),
  fault(
    'GW-WS-AUTH',
    'a refused handshake gets a page',
    {
      upgrade: ({ headers }) =>
        headers.get('Authorization')
          ? undefined
          : new MutatedAnswer(
              401,
              { 'Content-Type': 'text/html', 'X-Request-Id': crypto.randomUUID() },
              '<h1>401</h1>',
            ),
    },
    ['GW-ERROR-BODY'],
  ),
  fault('GW-WS-AUTH', 'a refused handshake ends in 500', {
    upgrade: ({ headers }) =>
      headers.get('Authorization') ? undefined : toRefusal(500, 'SYS_ERR'),
  }),
  fault('GW-WS-AUTH', 'the service is called before the credentials are looked at', (context) => ({
    async upgrade() {},
    upgraded() {},
    async answer(answer, request) {
      if (answer.status >= 400 && request.headers.get('Upgrade')) {
        await context.call({
          method: 'GET',
          target: request.target,
          headers: {
            Authorization: context.authorization,
            Host: request.headers.get('Host') ?? '',
          },
        });
      }
    },
  })),
];
