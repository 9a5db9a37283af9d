import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromRawHeaders, readAll } from '../http/exchange.ts';
import type { WireProfile } from '../options.ts';
import {
  type Place,
  type Received,
  type Reply,
  respond,
  SERVERS,
  type ServerName,
} from './replies.ts';

/** Maximum number of requests in a scenario. */
const MOST_REQUESTS = 1_000;

/** Maximum size of a request body, in bytes. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** How servers respond: with each reply in turn, then with the last one. Default: as in the contract. */
export type Script = Partial<Record<ServerName, readonly Reply[]>>;

export interface Deployment {
  place: Place;
  /** Starts to record, and responds with the script from now on. Returns the list of received requests. */
  play(script: Script): readonly Received[];
  close(): Promise<void>;
}

/** Starts the servers on free loopback ports. */
export async function startDeployment(profile: WireProfile): Promise<Deployment> {
  let received: Received[] = [];
  let script: Script = {};
  /** Paths of event streams in earlier scenarios, to which a client may still reconnect. */
  let streams = new Set<string>();
  const earlier = new Set<string>();
  const servers = SERVERS.map(() => createServer({ keepAliveTimeout: 60_000 }));
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const origins = Object.fromEntries(
    SERVERS.map((name, index) => {
      const { port } = (servers[index] as Server).address() as AddressInfo;
      return [name, `http://127.0.0.1:${port}`];
    }),
  ) as Record<ServerName, string>;
  const secret = (name: string) => `${name}-${randomBytes(12).toString('hex')}`;
  const place: Place = {
    ...origins,
    env: 'dev',
    token: secret('token'),
    secretId: secret('id'),
    secretKey: secret('key'),
    sessionToken: secret('session'),
    profile,
  };
  for (const [index, name] of SERVERS.entries()) {
    servers[index]?.on('request', async (message, response) => {
      message.on('error', () => {});
      response.on('error', () => {});
      const at = performance.now();
      const body = await readBody(message).catch(() => undefined);
      const target = message.url ?? '';
      const isTooMuch = body === undefined || received.length >= MOST_REQUESTS;
      if (isTooMuch || earlier.has(target)) return message.destroy();
      const request = toReceived(name, origins[name], message, body, at);
      if (request.header('accept')?.includes('event-stream')) streams.add(target);
      const turn = received.filter(({ server }) => server === name).length;
      received.push(request);
      const replies = script[name];
      const reply = replies?.[Math.min(turn, replies.length - 1)] ?? respond;
      try {
        await reply({ request, response, place });
      } catch {
        // The client has closed the connection.
        response.destroy();
      }
    });
  }
  return {
    place,
    play(next) {
      for (const target of streams) earlier.add(target);
      streams = new Set();
      received = [];
      script = next;
      return received;
    },
    async close() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => once(server.close(), 'close')));
    },
  };
}

async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += chunk.length;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toReceived(
  server: ServerName,
  origin: string,
  { method = '', url = '', rawHeaders }: IncomingMessage,
  body: Buffer,
  at: number,
): Received {
  const headers = fromRawHeaders(rawHeaders);
  return {
    ...{ server, origin, method, target: url, headers, body, at, sent: 0 },
    header(name) {
      const values = readAll(headers, name);
      return values.length === 0 ? undefined : values.join(', ');
    },
  };
}
