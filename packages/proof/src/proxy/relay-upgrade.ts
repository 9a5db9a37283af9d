import { type IncomingMessage, request as requestHttp } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import {
  type Hooks,
  type MutatedRequest,
  MutatedResponse,
  type SocketMessage,
  toHeaders,
  toRequest,
} from './messages.ts';
import { relayFrames } from './relay-frames.ts';

/** Relays a WebSocket handshake, and then the data in both directions. Applies the hooks. */
export async function relayUpgrade(
  target: string,
  hooks: Hooks,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const request = toRequest(incoming);
  const refusal = hooks.upgrade?.(request);
  if (refusal instanceof MutatedResponse) return endWith(refusal, socket);
  socket.on('error', () => {});
  if (hooks.message || hooks.close)
    return relayMessages(target, hooks, request, incoming, socket, head);
  const { hostname, port } = new URL(target);
  const call = requestHttp({
    ...{ hostname, port, method: 'GET', path: request.target, agent: false },
    headers: request.headers.list.flat(),
  });
  call.once('error', () => socket.destroy());
  call.once('response', async (response) => {
    endWith(await readRefusal(response, request, hooks), socket);
  });
  call.once('upgrade', (message, upstream: Socket, rest) => {
    const response = new MutatedResponse(101, toHeaders(message));
    hooks.upgraded?.(response, request);
    socket.write(toHead(response));
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    if (hooks.frame || hooks.joined) return relayFrames(hooks, socket, upstream, head, rest);
    if (rest.length > 0) socket.write(rest);
    if (head.length > 0) upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  call.end();
}

async function readRefusal(
  message: IncomingMessage,
  request: MutatedRequest,
  hooks: Hooks,
): Promise<MutatedResponse> {
  const response = new MutatedResponse(message.statusCode ?? 0, toHeaders(message));
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  response.body = Buffer.concat(chunks);
  await hooks.response?.(response, request);
  return response;
}

function endWith(response: MutatedResponse, socket: Socket): void {
  response.headers.remove('transfer-encoding');
  response.headers.set('Content-Length', String(response.body.length));
  response.headers.set('Connection', 'close');
  socket.end(Buffer.concat([Buffer.from(toHead(response)), response.body]));
}

function toHead({ status, headers }: MutatedResponse): string {
  const lines = headers.list.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${status === 101 ? 'Switching Protocols' : 'Refused'}\r\n${lines}\r\n`;
}

/** Terminates the WebSocket on both sides, so that single messages can be changed. */
async function relayMessages(
  target: string,
  hooks: Hooks,
  request: MutatedRequest,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const own = /^(connection|upgrade|sec-websocket-.*)$/i;
  const passed = request.headers.list.filter(([name]) => !own.test(name));
  const headers = Object.fromEntries(
    passed.map(([name]) => {
      const values = request.headers.all(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
  const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(/\s*,\s*/);
  const protocols = offered.filter((protocol) => protocol !== '');
  const service = new WebSocket(target.replace(/^http/, 'ws') + request.target, protocols, {
    headers,
    perMessageDeflate: false,
  });
  const early: [Buffer, boolean][] = [];
  const keep = (data: Buffer, binary: boolean) => early.push([data, binary]);
  service.on('message', keep);
  service.once('error', () => socket.destroy());
  service.once('unexpected-response', async (_, response) => {
    endWith(await readRefusal(response, request, hooks), socket);
  });
  let response = new MutatedResponse(101);
  service.once('upgrade', (message) => {
    response = new MutatedResponse(101, toHeaders(message));
    hooks.upgraded?.(response, request);
  });
  service.once('open', () => {
    const server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      handleProtocols: () => service.protocol || false,
    });
    server.on('headers', (lines) => {
      for (const [name, value] of response.headers.list) {
        if (!own.test(name)) lines.push(`${name}: ${value}`);
      }
    });
    server.handleUpgrade(incoming, socket, head, (caller) => {
      const pass =
        (from: SocketMessage['from'], to: WebSocket) => (data: Buffer, binary: boolean) => {
          const message: SocketMessage = { from, binary, data: Buffer.from(data) };
          const passed = hooks.message ? hooks.message(message) : message;
          for (const one of [passed ?? []].flat())
            to.send(one.binary || one.fin !== undefined ? one.data : one.data.toString(), {
              binary: one.binary,
              fin: one.fin ?? true,
            });
        };
      const end =
        (from: SocketMessage['from'], to: WebSocket) => (code: number, reason: Buffer) => {
          const given = { from, code, reason: reason.toString() };
          const passed = hooks.close?.(given) ?? given;
          const isSendable = passed.code >= 1000 && ![1004, 1005, 1006, 1015].includes(passed.code);
          if (isSendable) to.close(passed.code, passed.reason);
          else to.close();
        };
      service.off('message', keep);
      const toCaller = pass('service', caller);
      for (const [data, binary] of early) toCaller(data, binary);
      service.on('message', toCaller);
      caller.on('message', pass('caller', service));
      service.once('close', end('service', caller));
      caller.once('close', end('caller', service));
      caller.on('error', () => service.terminate());
    });
  });
}
