import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** A load balancer that keeps nothing of one call for the next. */
export interface RoundRobin {
  readonly url: string;
  /** Where calls go from now on, each to the next one. */
  route(targets: readonly string[]): void;
  close(): Promise<void>;
}

/** Starts a balancer that shares out calls, not connections: two of one client go to two targets. */
export async function startRoundRobin(): Promise<RoundRobin> {
  let targets: readonly string[] = [];
  let calls = 0;
  const agent = new Agent({ keepAlive: true });
  const next = () => {
    const { hostname, port } = new URL(targets[calls++ % targets.length] as string);
    return { hostname, port };
  };
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '', rawHeaders: headers } = incoming;
    const call = request({ ...next(), method, path, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, outgoing, () => {});
    });
    // A target that refuses a body early answers and hangs up: the answer still has to get through.
    call.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end());
    incoming.pipe(call);
    outgoing.on('close', () => outgoing.writableFinished || call.destroy());
  }).listen(0, '127.0.0.1');
  server.on('upgrade', ({ method, url, rawHeaders }, socket: Socket, head) => {
    const { hostname, port } = next();
    const upstream = connect(Number(port), hostname);
    const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    upstream.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    upstream.write(head);
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    upstream.pipe(socket).pipe(upstream);
  });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    route(to) {
      targets = to;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
