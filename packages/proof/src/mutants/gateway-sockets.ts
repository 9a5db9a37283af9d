import { isUtf8 } from 'node:buffer';
import type { SocketMessage } from '../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { toRefusal, upgraded } from './support/gateway.ts';

export const gatewaySockets: readonly Mutant[] = [
  mutant('GW-WS-UPGRADE', 'a handshake with a cookie is rejected', {
    upgrade: ({ headers }) =>
      headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST'),
  }),
  ...mutantsOf('GW-WS-TEXT', {
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
  }),
  ...mutantsOf('GW-WS-BINARY', {
    'binary messages that contain text arrive as text messages': {
      message(message) {
        const isText = isUtf8(message.data) && message.data.length > 1;
        return message.binary && isText ? { ...message, binary: false } : message;
      },
    },
    'empty binary messages are dropped': {
      message: (message) => (message.binary && message.data.length === 0 ? undefined : message),
    },
  }),
  mutant('GW-WS-PING', 'control frames other than closes are dropped', {
    frame: (frame) => (frame.opcode > 8 ? undefined : frame),
  }),
  ...mutantsOf('GW-WS-SUBPROTOCOL', {
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
  }),
  ...mutantsOf('GW-WS-CLOSE', {
    'the close reason sent by the service is lost': {
      close: (end) => (end.from === 'service' ? { ...end, reason: '' } : end),
    },
    'the service always receives the close code 1000': {
      close: (end) => (end.from === 'caller' ? { ...end, code: 1000 } : end),
    },
  }),
  ...mutantsOf('GW-WS-AUTH', {
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
  }),
];
