import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fromRawHeaders, type HeaderList, readAll } from '../http/exchange.ts';
import type { WireProfile } from '../options.ts';

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

/** The servers of the deployment. Each has its own origin; `files` has the upload target and the links. */
const SERVERS = ['gateway', 'storage', 'files', 'elsewhere'] as const;

export type ServerName = (typeof SERVERS)[number];

/** The addresses and credentials that the client gets, valid for one run. */
export interface Place extends Record<ServerName, string> {
  env: string;
  token: string;
  secretId: string;
  secretKey: string;
  sessionToken: string;
  profile: WireProfile;
}

/** A request as the deployment received it. */
export interface Received {
  server: ServerName;
  origin: string;
  method: string;
  /** Path and query, byte for byte. */
  target: string;
  headers: HeaderList;
  body: Buffer;
  /** When it arrived, in milliseconds. */
  at: number;
  /** Size of a response without end that was sent so far, in bytes. */
  sent: number;
  /** Returns a header; repeated ones are joined. */
  header(name: string): string | undefined;
}

interface Exchange {
  request: Received;
  response: ServerResponse;
  place: Place;
}

export type Reply = (exchange: Exchange) => void | Promise<void>;

/** Time between the pieces of a response, so that they arrive one by one, in milliseconds. */
const BETWEEN_PIECES = 5;

/** Content of every file that a link points to. */
export const CONTENT = 'Content of a stored file.';

/** The query of an upload target and the values of its grant, which are awkward to pass on unchanged. */
export const GRANT = {
  path: '/bucket/a%2Fb/?part=1&sign=x%2By%3D&part=2',
  token: 'grant token+/=',
  authorization: 'q-sign=sha256&q-signature="6f1e; d002"',
  storeFileID: 'HDJh|Y2Nl/NTIy=',
};

type Headers = Record<string, string | string[]>;

export function send(status: number, body: string | Buffer, headers: Headers = {}): Reply {
  return ({ response }) => {
    const length = { 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, { 'X-Request-Id': randomUUID(), ...length, ...headers }).end(body);
  };
}

export function json(status: number, value: unknown, headers: Headers = {}): Reply {
  return send(status, JSON.stringify(value), { 'Content-Type': 'application/json', ...headers });
}

export const REQUEST_ID = '5e0a1f34-8f7e-4b8e-9d5c-31a7c1f0d001';

export function gatewayError(status: number, code: string, headers: Headers = {}): Reply {
  const body = { code, message: `The call failed with ${code}.`, requestId: REQUEST_ID };
  return json(status, body, { 'X-Request-Id': REQUEST_ID, ...headers });
}

/** Responds with a storage error, in the envelope or flat. */
export function storageError(
  status: number,
  code: string,
  form: 'envelope' | 'flat' = 'envelope',
  headers: Headers = {},
): Reply {
  const body = { requestId: REQUEST_ID, code, message: `The call failed with ${code}.` };
  return json(status, form === 'flat' ? body : { statusCode: status, body }, headers);
}

/** Responds with `data` in the envelope. */
export function storageData(toData: (request: Received, place: Place) => unknown): Reply {
  return (exchange) => {
    const data = toData(exchange.request, exchange.place);
    return json(200, { statusCode: 200, body: { requestId: randomUUID(), data } })(exchange);
  };
}

/** Sends raw bytes, in pieces, then closes the connection. */
export function raw(...pieces: readonly (string | Buffer)[]): Reply {
  return async ({ response }) => {
    const { socket } = response;
    for (const piece of pieces) {
      socket?.write(piece);
      await wait(BETWEEN_PIECES);
    }
    socket?.end();
    socket?.destroySoon();
  };
}

/** Closes the connection without a response. */
export const close: Reply = ({ response }) => {
  response.destroy();
};

/** Announces a longer body than it sends, then closes the connection. */
export function cutOff(type: string, body: string): Reply {
  return raw(
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length + 100}\r\n\r\n${body}`,
  );
}

/** Sends an event stream in pieces, after which it stays open, ends or is cut off. */
export function events(
  pieces: readonly (string | Buffer)[],
  ending: 'hold' | 'end' | 'cut' = 'hold',
): Reply {
  return stream('text/event-stream', pieces, ending);
}

export function stream(
  type: string,
  pieces: readonly (string | Buffer)[],
  ending: 'hold' | 'end' | 'cut' = 'end',
): Reply {
  return async ({ response }) => {
    response.writeHead(200, { 'Content-Type': type, 'X-Request-Id': randomUUID() });
    for (const piece of pieces) {
      response.write(piece);
      await wait(BETWEEN_PIECES);
    }
    if (ending === 'end') response.end();
    if (ending === 'cut') response.destroy();
  };
}

/** Sends headers or a body without end, until the client closes the connection or `most` bytes are sent. */
export function endless(head: string, filler: string, most: number): Reply {
  return async ({ request, response: { socket } }) => {
    async function* fill() {
      yield head;
      for (; request.sent < most; request.sent += filler.length) yield filler;
    }
    if (socket) await pipeline(fill, socket);
  };
}

/** The fields of a storage request, in either form. */
function readFields({ body }: Received): Record<string, unknown> {
  try {
    const parsed = Object(JSON.parse(body.toString()));
    return Object(parsed.data ?? parsed);
  } catch {
    return {};
  }
}

/** Returns the name of a storage operation, such as `batchDelete`. */
export function operationOf({ target }: Received): string | undefined {
  return /\/storages(?::|%3A)(\w+)$/i.exec(target)?.[1];
}

export function listOf(request: Received): unknown[] {
  const { fileList } = readFields(request);
  return Array.isArray(fileList) ? fileList : [];
}

/** Returns the `data` of a successful call. */
export function toData(request: Received, { files, env, profile }: Place): unknown {
  const list = listOf(request);
  switch (operationOf(request)) {
    case 'getUploadMetaData':
      return {
        url: files + GRANT.path,
        token: GRANT.token,
        authorization: GRANT.authorization,
        fileID: `cloud://${env}.files/${readFields(request).path}`,
        [profile.storeFileID]: GRANT.storeFileID,
      };
    case 'batchGetTempUrls':
      return {
        fileList: list.map((item) => {
          const { fileID } = Object(item);
          const tempFileURL = `${files}/links?of=${encodeURIComponent(fileID)}`;
          return { fileID, code: 'SUCCESS', tempFileURL };
        }),
      };
    case 'batchDelete':
      return { fileList: list.map((fileID) => ({ fileID, code: 'SUCCESS' })) };
    default:
      return {
        fileList: list.map((item) => ({ fileID: `cloud://${env}.files${Object(item).dstPath}` })),
      };
  }
}

/** Responds as the contract says. */
export const respond: Reply = (exchange) => {
  const { server, method } = exchange.request;
  if (server === 'storage') return storageData(toData)(exchange);
  if (server !== 'files') return json(200, { ok: true })(exchange);
  if (method === 'POST') return send(204, '')(exchange);
  return send(200, CONTENT, { 'Content-Type': 'text/plain', ETag: '"1"' })(exchange);
};
