import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';

/** D13: "60 s to the response headers, then `SERVICE_TIMEOUT`". */
const TIMEOUT_MILLISECONDS = 60_000;

const SWITCHING_PROTOCOLS = 101;

const OUT_OF_REACH = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
]);

/** What a real service answered: its head, and after a change of protocol its connection. */
export interface Received {
  readonly answer: IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer };
}

/**
 * Waits for the head of an answer.
 *
 * @param protocol that the call asks to change to; undefined: none
 * @throws GatewayError SERVICE_TIMEOUT, SERVICE_LB_STATUS_ABNORMAL, BAD_GATEWAY
 */
export function awaitAnswer(
  request: ClientRequest,
  base: URL,
  signal: AbortSignal,
  protocol?: string,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      request.destroy(new GatewayError('SERVICE_TIMEOUT'));
    }, TIMEOUT_MILLISECONDS);
    const settle = (received: Received) => {
      clearTimeout(timer);
      resolve(received);
    };
    const fail = (error: Error) => {
      clearTimeout(timer);
      if (signal.aborted || error instanceof GatewayError) reject(error);
      else reject(toError(error, base));
    };
    request.on('error', fail);
    request.once('response', (answer) => {
      if (answer.statusCode !== SWITCHING_PROTOCOLS) settle({ answer });
      else request.destroy(new Error('101 without a protocol'));
    });
    request.once('upgrade', (answer, socket, head) => {
      const { upgrade = '' } = answer.headers;
      if (upgrade.toLowerCase() === protocol) settle({ answer, upgraded: { socket, head } });
      else {
        socket.destroy();
        fail(new Error(`101 to ${upgrade}, which nobody asked for`));
      }
    });
  });
}

function toError(error: NodeJS.ErrnoException, { origin }: URL): GatewayError {
  const { code = '', message } = error;
  return OUT_OF_REACH.has(code)
    ? new GatewayError('SERVICE_LB_STATUS_ABNORMAL', {
        message: `The real service ${origin} is out of reach: ${code}.`,
        cause: error,
      })
    : new GatewayError('BAD_GATEWAY', {
        message: `The real service ${origin} gave no valid answer: ${message || code}.`,
        cause: error,
      });
}
