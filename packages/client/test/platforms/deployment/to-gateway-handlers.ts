import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  GatewayError,
  type GatewayHandler,
  type GatewayHandlers,
  type GatewayInput,
  type WebSocketHandler,
} from '@berth/server-stubs';

/** Creates gateway handlers that forward calls to services at these URLs. */
export function toGatewayHandlers(origins: Readonly<Record<string, string>>): GatewayHandlers {
  const open = (input: GatewayInput, headers: GatewayInput['headers'], signal: AbortSignal) => {
    const origin = origins[input.name];
    if (origin === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
    return request(origin + input.target, { method: input.method, headers, signal });
  };

  const call: GatewayHandler = async (input, { signal }) => {
    const outgoing = open(input, input.headers, signal);
    if (input.body) input.body.pipe(outgoing);
    else outgoing.end();
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    return toEnvelopeResponse(response as IncomingMessage);
  };

  const webSocket: WebSocketHandler = async (input, { signal }) => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    const outgoing = open(input, { ...input.headers, ...upgrade }, signal);
    outgoing.end();
    const { response, upstream, first } = await upgraded(outgoing);
    if (!upstream) return toEnvelopeResponse(response);
    return {
      status: 101,
      headers: response.headers,
      open(socket, head) {
        upstream.write(head);
        socket.write(first);
        upstream.pipe(socket).pipe(upstream);
        for (const [one, other] of [
          [upstream, socket],
          [socket, upstream],
        ] as const) {
          one.on('error', () => other.destroy());
          one.on('close', () => other.destroy());
        }
      },
    };
  };
  return {
    'cloudrun-get-root': call,
    'cloudrun-post-root': call,
    'cloudrun-get': call,
    'cloudrun-post': call,
    webSocket,
  };
}

function toEnvelopeResponse(response: IncomingMessage) {
  return { status: response.statusCode ?? 502, headers: response.headers, body: response };
}

function upgraded(outgoing: ClientRequest) {
  return new Promise<{ response: IncomingMessage; upstream?: Duplex; first?: Buffer }>(
    (resolve, reject) => {
      outgoing.on('upgrade', (response, upstream, first) => resolve({ response, upstream, first }));
      outgoing.on('response', (response) => resolve({ response }));
      outgoing.on('error', reject);
    },
  );
}
