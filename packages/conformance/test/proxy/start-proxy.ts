import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type Listening, listen } from '../../../../scripts/testing/listen.ts';
import { readFrames, toBytes } from './frames.ts';
import {
  type Headers,
  type Hooks,
  type Message,
  type MutatedRequest,
  MutatedResponse,
  toHeaders,
  toRequest,
  toResponse,
} from './messages.ts';

export interface MutatingProxy extends Listening {
  server: string;
  hooks: Hooks;
  count(): number;
}

/** Starts a proxy that relays everything, except for what its hooks change. */
export async function startProxy(
  server = '',
  hooks: Hooks = {},
  tls?: { key: string; cert: string },
): Promise<MutatingProxy> {
  let count = 0;
  const listener = tls ? createTlsServer(tls) : createServer();
  // On a busy machine, a call could meet the end of an idle connection.
  listener.keepAliveTimeout = 0;
  const { url, ...listening } = await listen(listener);
  const address = tls ? url.replace('http:', 'https:') : url;
  const proxy: MutatingProxy = { ...listening, url: address, server, hooks, count: () => count };
  listener.on('request', (incoming, outgoing) => {
    count += 1;
    relay(proxy, incoming, outgoing).catch(() => outgoing.destroy());
  });
  listener.on('upgrade', (incoming, socket: Socket, head) => {
    count += 1;
    socket.on('error', () => socket.destroy());
    relayHandshake(proxy, incoming, socket, head).catch(() => socket.destroy());
  });
  return proxy;
}

async function relay(
  { server, hooks }: MutatingProxy,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = await toRequest(incoming);
  const instead = await hooks.request?.(request);
  if (request.isBroken) return;
  if (typeof instead === 'function') return instead(incoming.socket);
  if (instead instanceof MutatedResponse) return send(instead, request, outgoing);
  const call = toCall(server, request).end(request.body);
  outgoing.once('close', () => call.destroy());
  const [upstream] = (await once(call, 'response')) as [IncomingMessage];
  const isStream = upstream.headers['content-type']?.startsWith('text/event-stream');
  if (hooks.response && !isStream) {
    const response = await toResponse(upstream);
    await hooks.response(response, request);
    return send(response, request, outgoing);
  }
  const response = new MutatedResponse(upstream.statusCode ?? 0, toHeaders(upstream));
  await hooks.response?.(response, request);
  if (!isStream || !hooks.messages) return send(response, request, outgoing, upstream);
  response.headers.remove('content-length');
  const messages = hooks.messages(toMessages(upstream), request, 'service');
  send(response, request, outgoing, toPieces(messages));
}

/** Events that arrive together, as on a busy machine, are messages of their own. */
async function* toMessages(pieces: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  for await (const piece of pieces)
    for (const event of piece.toString('latin1').split(/(?<=\n\n)/))
      yield { from: 'service', data: Buffer.from(event, 'latin1') };
}

async function* toPieces(messages: AsyncIterable<Message>): AsyncGenerator<Buffer> {
  for await (const { data } of messages) yield data;
}

export async function callServer(server: string, request: MutatedRequest) {
  request.headers.set('Host', request.headers.get('Host') ?? new URL(server).host);
  const [message] = await once(toCall(server, request).end(request.body), 'response');
  return toResponse(message);
}

function toCall(server: string, { method, target, headers, body }: MutatedRequest): ClientRequest {
  const { hostname, port } = new URL(server);
  const isLong = headers.get('transfer-encoding') !== undefined || body.length > 0;
  if (isLong || headers.get('content-length') !== undefined) setLength(headers, body);
  const address = { hostname, port, method, path: target };
  return requestHttp({ ...address, headers: headers.list.flat(), agent: false });
}

/** Corrects `Content-Length` after a hook may have changed the body. */
function setLength(headers: Headers, body: Buffer): void {
  headers.remove('transfer-encoding');
  headers.set('Content-Length', String(body.length));
}

function send(
  response: MutatedResponse,
  request: MutatedRequest,
  outgoing: ServerResponse,
  pieces?: AsyncIterable<Buffer>,
): void {
  const { status, headers, body, early, chunkBytes } = response;
  const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304;
  if (hasBody && chunkBytes) {
    headers.remove('content-length');
    headers.set('Transfer-Encoding', 'chunked');
  } else if (hasBody && !pieces) setLength(headers, body);
  if (early) outgoing.writeEarlyHints(early);
  outgoing.sendDate = headers.get('date') === undefined;
  outgoing.writeHead(status, headers.list.flat());
  outgoing.flushHeaders();
  if (!hasBody) return void outgoing.end();
  const all = pieces ?? [body];
  const sent = Readable.from(chunkBytes ? cutUp(all, chunkBytes) : all);
  sent.once('error', () => outgoing.destroy()).pipe(outgoing);
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

async function relayHandshake(
  { server, hooks }: MutatingProxy,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const request = await toRequest(incoming);
  const instead = await hooks.request?.(request);
  if (typeof instead === 'function') return instead(socket);
  if (instead instanceof MutatedResponse) return refuse(instead, socket);
  const call = toCall(server, request).end();
  call.once('error', () => socket.destroy());
  call.once('response', async (message) => {
    const response = await toResponse(message);
    await hooks.response?.(response, request);
    refuse(response, socket);
  });
  call.once('upgrade', async (message, upstream: Socket, rest) => {
    const response = new MutatedResponse(101, toHeaders(message));
    await hooks.response?.(response, request);
    socket.write(toHead(response));
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => socket.destroySoon()).on('error', () => upstream.destroy());
    const pass = async (from: Message['from'], source: Socket, first: Buffer, target: Socket) => {
      const frames = readFrames(from, source, first);
      for await (const frame of hooks.messages?.(frames, request, from) ?? frames) {
        target.write(toBytes(frame));
      }
      target.end();
    };
    pass('caller', socket, head, upstream).catch(() => upstream.destroy());
    pass('service', upstream, rest, socket).catch(() => socket.destroy());
  });
}

function refuse(response: MutatedResponse, socket: Socket): void {
  setLength(response.headers, response.body);
  response.headers.set('Connection', 'close');
  socket.end(Buffer.concat([Buffer.from(toHead(response)), response.body]));
}

function toHead({ status, headers }: MutatedResponse): string {
  const lines = headers.list.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${status === 101 ? 'Switching Protocols' : 'Refused'}\r\n${lines}\r\n`;
}
