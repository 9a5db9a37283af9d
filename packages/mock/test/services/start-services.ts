import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createGatewayRouter, GatewayError, type GatewayHandler } from '@berth/server-stubs';
import {
  createServices,
  type ServicesOptions,
  type ServicesSource,
} from '../../src/services/create-services.ts';
import { ServiceStates } from '../../src/session/service-states.ts';
import type { Session } from '../../src/session/session.ts';
import { Clock } from '../../src/util/clock.ts';

/** Services behind a real gateway router, without the rest of the mock. */
export async function startServices(
  source?: ServicesSource,
  options: Omit<ServicesOptions, 'source'> = {},
) {
  const services = await createServices({ source, ...options });
  const clock = new Clock();
  const states = new ServiceStates(clock);
  const session = { clock, services: states } as unknown as Session;
  const unmatched: string[] = [];
  const call: GatewayHandler = async (input, call) => {
    const response = await services.respond(input, call, session);
    if (response === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
    if (response.unmatched) unmatched.push(input.target);
    return response;
  };
  const router = createGatewayRouter(
    {
      'cloudrun-get-root': call,
      'cloudrun-post-root': call,
      'cloudrun-get': call,
      'cloudrun-post': call,
      async webSocket(input, call) {
        const response = await services.open(input, call, session);
        if (response === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
        return response;
      },
    },
    { security: { bearerToken: () => true, signature: () => true } },
  );
  const server = createServer({ shouldUpgradeCallback: router.shouldUpgrade }, router);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', router.upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    services,
    states,
    clock,
    unmatched,
    sockets,
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      await services.close();
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

export type Started = Awaited<ReturnType<typeof startServices>>;

export const AUTH = { authorization: 'Bearer any' };

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
type Reply = Omit<Response, 'json'> & { json(): Promise<any> };

/** Calls a service by `name/path`. */
export function get(
  { url }: { url: string },
  path: string,
  init: RequestInit = {},
): Promise<Reply> {
  const headers = { ...AUTH, ...(init.headers as Record<string, string>) };
  return fetch(`${url}/v1/cloudrun/${path}`, { ...init, headers });
}

export function post(
  started: { url: string },
  path: string,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
) {
  return get(started, path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}
