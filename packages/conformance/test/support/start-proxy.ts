import { createServer, request as requestHttp } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './listen.ts';

export interface Proxy {
  url: string;
  /** The request lines received. */
  lines: string[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Status of the response to CONNECT; if absent, the tunnel is opened. */
  connectStatus?: number;
  /** The credentials that it requires, `user:password`. */
  credentials?: string;
}

/** Starts a small HTTP proxy that opens tunnels and forwards calls with an absolute URL. */
export async function startProxy({
  connectStatus,
  credentials,
}: ProxyOptions = {}): Promise<Proxy> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const isKnown = (given?: string) => wanted === undefined || given === wanted;

  const server = createServer((call, response) => {
    lines.push(`${call.method} ${call.url}`);
    if (!isKnown(call.headers['proxy-authorization'])) return void response.writeHead(407).end();
    const [, origin = '', path = '/'] = /^(http:\/\/[^/?]+)(.*)$/.exec(call.url ?? '') ?? [];
    const { hostname, port } = new URL(origin);
    const { method, rawHeaders } = call;
    const onward = requestHttp({ hostname, port, method, path, headers: rawHeaders, agent: false });
    onward.once('error', () => response.writeHead(502).end());
    onward.once('response', (received) => {
      response.writeHead(received.statusCode ?? 502, received.rawHeaders);
      received.pipe(response);
    });
    call.pipe(onward);
  });
  server.on('connection', keep);
  server.on('connect', (call, socket: Socket) => {
    lines.push(`CONNECT ${call.url}`);
    const status = isKnown(call.headers['proxy-authorization']) ? connectStatus : 407;
    if (status) return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const [hostname, port] = (call.url ?? '').split(':');
    const target = connect(Number(port), hostname);
    keep(target);
    target.once('connect', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.once('error', () => socket.end('HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n'));
    socket.once('close', () => target.destroy());
    target.once('close', () => socket.destroy());
  });
  const url = await listen(server);
  return {
    url: credentials ? url.replace('//', `//${credentials}@`) : url,
    lines,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
