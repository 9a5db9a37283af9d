import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  const server = createServer((incoming, outgoing) => {
    const target = targets[calls++ % targets.length] as string;
    const { method, url = '', headers } = incoming;
    const call = request(target + url, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, outgoing, () => {});
    });
    // A target that refuses a body early answers and hangs up: the answer still has to get through.
    call.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end());
    incoming.pipe(call);
    outgoing.on('close', () => outgoing.writableFinished || call.destroy());
  }).listen(0, '127.0.0.1');
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
