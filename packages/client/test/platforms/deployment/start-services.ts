import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type RawData, WebSocketServer } from 'ws';
import { type Echo, LAST_TICK, SERVICES, TICK_LOSS, TICK_TEXT, type Tick } from '../services.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The services in `services.ts`, each at its own URL. */
export interface RunningServices {
  readonly origins: Readonly<Record<string, string>>;
  close(): void;
}

/** Starts the services on free loopback ports. */
export async function startServices(): Promise<RunningServices> {
  const servers = {
    [SERVICES.echo]: withWebSockets(serve(echo)),
    [SERVICES.ticker]: serve(tick),
    [SERVICES.slow]: serve(createSlow()),
  };
  const origins: Record<string, string> = {};
  for (const [name, server] of Object.entries(servers)) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origins[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  return {
    origins,
    close() {
      for (const server of Object.values(servers)) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

function serve(listener: Listener): Server {
  return createServer((request, response) => {
    // It is not a failure if the caller disconnects.
    Promise.resolve(listener(request, response)).catch(() => response.destroy());
  });
}

const echo: Listener = async (request, response) => {
  const { method = '', url: target = '' } = request;
  const body = await text(request);
  const status = statusOf(target);
  if (status) return json(response, { status }, status);
  if (target === '/broken') {
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{"broken":');
  }
  const headers = request.headers as Record<string, string>;
  return json(response, { method, target, headers, body } satisfies Echo);
};

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function statusOf(target = ''): number | undefined {
  const [, status] = /^\/status\/(\d{3})$/.exec(target) ?? [];
  return status ? Number(status) : undefined;
}

function withWebSockets(server: Server): Server {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.has('chat') && 'chat',
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    const status = statusOf(request.url);
    if (status) return socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
    return sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {});
      opened.on('message', (data: RawData, isBinary) => {
        const [, code] = /^close (\d+)$/.exec(isBinary ? '' : String(data)) ?? [];
        if (code) opened.close(Number(code));
        else opened.send(data, { binary: isBinary });
      });
    });
  });
  return server;
}

const tick: Listener = (request, response) => {
  const after = request.headers['last-event-id'];
  const first = Number(after ?? 0) + 1;
  if (first > LAST_TICK) return response.writeHead(204).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const data: Tick = { after: after === undefined ? null : String(after), text: TICK_TEXT };
  const toText = (id: number) => `id: ${id}\nevent: tick\ndata: ${JSON.stringify(data)}\n\n`;
  response.write('retry: 10\n\n');
  for (const id of [first, first + 1]) if (id <= LAST_TICK) response.write(toText(id));
  if (first + 1 >= LAST_TICK) return response.end();
  response.write(toText(first + 2).slice(0, 20));
  return setTimeout(() => request.socket.destroy(), TICK_LOSS);
};

function createSlow(): Listener {
  const begun = createMarks();
  const ended = createMarks();
  return async ({ url = '', headers }, response) => {
    const [, kind, id] = /^\/(begun|ended)\/(.+)$/.exec(url) ?? [];
    if (id) {
      await (kind === 'begun' ? begun : ended).of(id).promise;
      return response.writeHead(204).end();
    }
    const name = url.slice(1);
    response.on('close', () => ended.of(name).resolve());
    begun.of(name).resolve();
    if (headers.accept !== 'text/event-stream') return undefined;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.write('event: started\ndata:\n\n');
  };
}

/** One-time events that can be awaited before and after they happen. */
function createMarks() {
  const marks = new Map<string, PromiseWithResolvers<void>>();
  return {
    of(name: string) {
      const mark = marks.get(name) ?? Promise.withResolvers<void>();
      marks.set(name, mark);
      return mark;
    },
  };
}
