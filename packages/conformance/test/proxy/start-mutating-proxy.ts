import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type Listening, listen } from '../../../../scripts/testing/listen.ts';
import {
  type Headers,
  type Hooks,
  type MutatedRequest,
  MutatedResponse,
  toHeaders,
  toRequest,
} from './messages.ts';
import { relayUpgrade } from './relay-upgrade.ts';

/** Returns the address of the server that a path and query belong to. */
export type ToServer = (target: string) => string;

export interface MutatingProxy extends Listening {
  /** Sets the address for each path and query, and the hooks; needed before the first call. */
  setUp(toServer: ToServer, hooks: Hooks): void;
}

/** Starts a proxy that relays everything byte for byte, except for what the hooks change. */
export async function startMutatingProxy(): Promise<MutatingProxy> {
  let toServer: ToServer = () => '';
  let hooks: Hooks = {};
  const server = createServer((incoming, outgoing) => {
    relay(toServer, hooks, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('upgrade', (incoming, socket: Socket, head) => {
    relayUpgrade(toServer(incoming.url ?? '/'), hooks, incoming, socket, head).catch(() =>
      socket.destroy(),
    );
  });
  // On a busy machine, a call could meet the end of an idle connection.
  server.keepAliveTimeout = 0;
  const listening = await listen(server);
  return {
    ...listening,
    setUp(given, changes) {
      toServer = given;
      hooks = changes;
    },
  };
}

async function relay(
  toServer: ToServer,
  hooks: Hooks,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = toRequest(incoming);
  const reads = hooks.request ?? hooks.broken ?? (request.isGateway ? undefined : hooks.response);
  const streams = hooks.streamsRequests || !reads;
  if (!streams) {
    const { pieces, body, isWhole } = await readBody(incoming);
    request.pieces = pieces;
    request.body = body;
    if (!isWhole) {
      await hooks.broken?.(request);
      return;
    }
  }
  const instead = await hooks.request?.(request);
  if (instead instanceof MutatedResponse) return send(instead, request, outgoing, hooks);
  const server = toServer(request.target);
  const upstream = await forward(server, request, streams ? incoming : undefined, outgoing);
  const response = new MutatedResponse(upstream.statusCode ?? 0, toHeaders(upstream));
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream ? hooks.buffersEvents : hooks.response) {
    const { body, isWhole } = await readBody(upstream);
    response.body = body;
    if (!isWhole) {
      outgoing.destroy();
      return;
    }
    await hooks.response?.(response, request);
    send(response, request, outgoing, hooks);
    return;
  }
  await hooks.response?.(response, request);
  if (isStream && hooks.stream) response.headers.remove('content-length');
  hooks.early?.(outgoing);
  outgoing.writeHead(response.status, upstream.statusMessage, response.headers.list.flat());
  outgoing.flushHeaders();
  const given = isStream && hooks.stream ? hooks.stream(upstream, request) : upstream;
  const cut = hooks.chunkBytes ? cutUp(given, hooks.chunkBytes) : given;
  const body = cut === upstream ? upstream : Readable.from(cut);
  body.once('error', () => outgoing.destroy()).pipe(outgoing);
}

/**
 * Sends a request to a server.
 *
 * @param body stream to send instead of the body in the request
 * @param outgoing response whose end cancels the call
 */
export function forward(
  server: string,
  request: MutatedRequest,
  body?: IncomingMessage,
  outgoing?: ServerResponse,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(server);
  if (body === undefined) fixLength(request.headers, request.body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = requestHttp({
    ...{ hostname, port, method: request.method, path: request.target, agent: false },
    headers: request.headers.list.flat(),
  });
  call.once('response', resolve).once('error', reject);
  outgoing?.once('close', () => call.destroy());
  if (body) {
    body.once('error', () => call.destroy());
    body.pipe(call);
  } else call.end(request.body);
  return promise;
}

function send(
  response: MutatedResponse,
  request: MutatedRequest,
  outgoing: ServerResponse,
  { early, chunkBytes }: Hooks,
): void {
  const hasBody = request.method !== 'HEAD' && response.status !== 204 && response.status !== 304;
  if (hasBody) fixLength(response.headers, response.body, true);
  if (hasBody && chunkBytes) {
    response.headers.remove('content-length');
    response.headers.set('Transfer-Encoding', 'chunked');
  }
  early?.(outgoing);
  outgoing.sendDate = response.headers.get('date') === undefined;
  outgoing.writeHead(response.status, response.headers.list.flat());
  if (!hasBody) outgoing.end();
  else if (chunkBytes) Readable.from(cutUp([response.body], chunkBytes)).pipe(outgoing);
  else outgoing.end(response.body);
}

/** How much of a body is cut into pieces. */
const CUT_BYTES = 4096;

async function* cutUp(parts: AsyncIterable<Buffer> | Iterable<Buffer>, size: number) {
  let left = CUT_BYTES;
  for await (const part of parts) {
    let at = 0;
    for (; at < part.length && left > 0; at += size, left -= size) {
      yield part.subarray(at, at + size);
    }
    if (at < part.length) yield part.subarray(at);
  }
}

/** Corrects `Content-Length` after a mutant may have changed the body. */
function fixLength(headers: Headers, body: Buffer, always = false): void {
  if (headers.get('transfer-encoding') !== undefined) headers.remove('transfer-encoding');
  else if (headers.get('content-length') === undefined && !always && body.length === 0) return;
  headers.set('Content-Length', String(body.length));
}

async function readBody(
  message: IncomingMessage,
): Promise<{ pieces: Buffer[]; body: Buffer; isWhole: boolean }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of message) pieces.push(piece);
    return { pieces, body: Buffer.concat(pieces), isWhole: message.complete };
  } catch {
    return { pieces, body: Buffer.concat(pieces), isWhole: false };
  }
}
