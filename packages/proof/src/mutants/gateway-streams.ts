import { isUtf8 } from 'node:buffer';
import type { SocketMessage } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import { toRefusal } from './support/refusals.ts';

export const gatewayStreams: readonly Mutant[] = [
  {
    rule: 'GW-SSE',
    breaks: 'the tenth event of a stream is lost',
    companions: [],
    create: ({ call }) => ({
      async request({ method, target, path, headers, body }) {
        if (!path.endsWith('/events') || !target.includes('count=50')) return;
        const given = Object.fromEntries(headers.list);
        const answer = await call({ method, target, headers: given, body });
        const events = answer.body.toString().split('\n\n');
        answer.body = Buffer.from(events.filter((_, index) => index !== 9).join('\n\n'));
        return answer;
      },
    }),
  },
  {
    rule: 'GW-SSE-UNBUFFERED',
    breaks: 'an event stream is held back until it ends',
    companions: [],
    create: () => ({
      buffersEvents: true,
    }),
  },
  {
    rule: 'GW-WS-UPGRADE',
    breaks: 'a handshake with a cookie is refused',
    companions: [],
    create: () => ({
      upgrade({ headers }) {
        return headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST');
      },
    }),
  },
  {
    rule: 'GW-WS-TEXT',
    breaks: 'text messages of more than 16,384 bytes are lost',
    companions: [],
    create: () => ({
      message(message) {
        return !message.binary && message.data.length > 16_384 ? undefined : message;
      },
    }),
  },
  {
    rule: 'GW-WS-TEXT',
    breaks: 'two short text messages of the service change places',
    companions: [],
    create: () => {
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
  },
  {
    rule: 'GW-WS-BINARY',
    breaks: 'binary messages that are text arrive as text',
    companions: [],
    create: () => ({
      message(message) {
        const isText = isUtf8(message.data) && message.data.length > 1;
        return message.binary && isText ? { ...message, binary: false } : message;
      },
    }),
  },
  {
    rule: 'GW-WS-BINARY',
    breaks: 'empty binary messages are left out',
    companions: [],
    create: () => ({
      message(message) {
        return message.binary && message.data.length === 0 ? undefined : message;
      },
    }),
  },
  {
    rule: 'GW-WS-SUBPROTOCOL',
    breaks: 'only the first subprotocol that is offered reaches the service',
    companions: [],
    create: () => ({
      upgrade({ headers }) {
        const [first, ...rest] = headers.get('Sec-WebSocket-Protocol')?.split(/, */) ?? [];
        if (first && rest.length > 0) headers.set('Sec-WebSocket-Protocol', first);
      },
    }),
  },
  {
    rule: 'GW-WS-SUBPROTOCOL',
    breaks: 'the subprotocol that the service picks does not reach the caller',
    companions: [],
    create: () => ({
      upgraded({ headers }, request) {
        const offered = request.headers.get('Sec-WebSocket-Protocol') ?? '';
        if (offered.includes(',')) headers.remove('Sec-WebSocket-Protocol');
      },
    }),
  },
  {
    rule: 'GW-WS-CLOSE',
    breaks: 'the reason of a close by the service is lost',
    companions: [],
    create: () => ({
      close(end) {
        return end.from === 'service' ? { ...end, reason: '' } : end;
      },
    }),
  },
  {
    rule: 'GW-WS-CLOSE',
    breaks: 'the service gets 1000 whatever code the caller closes with',
    companions: [],
    create: () => ({
      close(end) {
        return end.from === 'caller' ? { ...end, code: 1000 } : end;
      },
    }),
  },
  {
    rule: 'GW-WS-AUTH',
    breaks: 'a handshake without credentials is let in',
    companions: [],
    create: ({ authorization }) => ({
      upgrade({ headers }) {
        if (headers.get('Authorization') === undefined) headers.set('Authorization', authorization);
      },
    }),
  },
  {
    rule: 'GW-WS-AUTH',
    breaks: 'the refusal of a handshake has no body',
    companions: [],
    create: () => ({
      answer(answer, { headers }) {
        if (headers.get('Upgrade') && answer.status === 401) answer.body = Buffer.alloc(0);
      },
    }),
  },
];
