import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  type Headers,
  type Hooks,
  MutatedAnswer,
  type MutatedRequest,
  toHeaders,
  toRequest,
} from './messages.ts';
import { relayUpgrade } from './relay-upgrade.ts';

export interface MutatingProxy {
  url: string;
  /** Where the calls go to, and what becomes of them; set before the first call. */
  setUp(target: string, hooks: Hooks): void;
  close(): Promise<void>;
}

/** Starts a proxy that passes everything on byte for byte, but for what the hooks change. */
export async function startMutatingProxy(): Promise<MutatingProxy> {
  let target = '';
  let hooks: Hooks = {};
  const server = createServer((incoming, outgoing) => {
    relay(target, hooks, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('upgrade', (incoming, socket: Socket, head) => {
    relayUpgrade(target, hooks, incoming, socket, head).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setUp(url, given) {
      target = url;
      hooks = given;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function relay(
  target: string,
  hooks: Hooks,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = toRequest(incoming);
  const streams = hooks.streamsRequests || (!hooks.request && !hooks.broken);
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
  if (instead instanceof MutatedAnswer) return send(instead, request, outgoing, hooks);
  const response = await forward(target, request, streams ? incoming : undefined, outgoing);
  const answer = new MutatedAnswer(response.statusCode ?? 0, toHeaders(response));
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (hooks.answer && (!isStream || hooks.buffersEvents)) {
    const { body, isWhole } = await readBody(response);
    answer.body = body;
    if (!isWhole) {
      outgoing.destroy();
      return;
    }
    await hooks.answer(answer, request);
    send(answer, request, outgoing, hooks);
    return;
  }
  if (hooks.answer) await hooks.answer(answer, request);
  if (isStream && hooks.buffersEvents) {
    answer.body = (await readBody(response)).body;
    send(answer, request, outgoing, hooks);
    return;
  }
  hooks.early?.(outgoing);
  outgoing.writeHead(answer.status, response.statusMessage, answer.headers.list.flat());
  outgoing.flushHeaders();
  const body = hooks.chunkBytes ? Readable.from(cutUp(response, hooks.chunkBytes)) : response;
  body.once('error', () => outgoing.destroy()).pipe(outgoing);
}

function forward(
  target: string,
  request: MutatedRequest,
  body: IncomingMessage | undefined,
  outgoing: ServerResponse,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(target);
  if (body === undefined) fixLength(request.headers, request.body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = requestHttp({
    ...{ hostname, port, method: request.method, path: request.target, agent: false },
    headers: request.headers.list.flat(),
  });
  call.once('response', resolve).once('error', reject);
  outgoing.once('close', () => call.destroy());
  if (body) {
    body.once('error', () => call.destroy());
    body.pipe(call);
  } else call.end(request.body);
  return promise;
}

function send(
  answer: MutatedAnswer,
  request: MutatedRequest,
  outgoing: ServerResponse,
  { early, chunkBytes }: Hooks,
): void {
  const hasBody = request.method !== 'HEAD' && answer.status !== 204 && answer.status !== 304;
  if (hasBody) fixLength(answer.headers, answer.body, true);
  if (hasBody && chunkBytes) {
    answer.headers.remove('content-length');
    answer.headers.set('Transfer-Encoding', 'chunked');
  }
  early?.(outgoing);
  outgoing.sendDate = answer.headers.get('date') === undefined;
  outgoing.writeHead(answer.status, answer.headers.list.flat());
  if (!hasBody) outgoing.end();
  else if (chunkBytes) Readable.from(cutUp([answer.body], chunkBytes)).pipe(outgoing);
  else outgoing.end(answer.body);
}

async function* cutUp(parts: AsyncIterable<Buffer> | Iterable<Buffer>, size: number) {
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += size) yield part.subarray(at, at + size);
  }
}

/** The length of a body that a mutant may have changed. */
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
