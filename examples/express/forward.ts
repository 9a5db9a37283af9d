import { type IncomingMessage, request } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { GatewayError, type GatewayHandlers, type GatewayInput } from '@berth/server-stubs';

/** Creates gateway handlers that forward calls. `services` maps names to URLs. */
export function forwardTo(services: ReadonlyMap<string, string>): GatewayHandlers {
  return {
    async call(input, { signal }) {
      return toResponse(await send(input, signal));
    },
    async webSocket(input, { signal }) {
      const headers = { ...input.headers, connection: 'upgrade', upgrade: 'websocket' };
      const message = await send({ ...input, headers }, signal);
      if (message.statusCode !== 101) return toResponse(message);
      const open = (client: Duplex) => client.pipe(message.socket).pipe(client);
      return { status: 101, headers: message.headers, open };
    },
  };

  function send({ name, target, method, headers, body }: GatewayInput, signal: AbortSignal) {
    const service = services.get(name);
    if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
    return new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(service, { path: target, method, headers, signal })
        .on('response', resolve)
        .on('upgrade', (message, socket, head) => {
          socket.unshift(head);
          resolve(message);
        })
        .on('error', (cause) => {
          if (!signal.aborted) console.error(`${name} at ${service}: ${cause.message}`);
          reject(new GatewayError('BAD_GATEWAY', { cause }));
        });
      if (body === undefined) call.end();
      else pipeline(body, call, () => {});
    });
  }
}

function toResponse(message: IncomingMessage) {
  return { status: message.statusCode ?? 502, headers: message.headers, body: message };
}
