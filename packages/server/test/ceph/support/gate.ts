import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { onTestFinished } from 'vitest';

/** A proxy before the store that calls back before it passes a call on. */
export interface Gate {
  readonly endpoint: string;
  before: ((method: string, path: string) => Promise<unknown>) | undefined;
}

export async function openGate(endpoint: string): Promise<Gate> {
  const { hostname, port } = new URL(endpoint);
  const server = createServer(async (call, response) => {
    try {
      const { method = '', url = '', headers } = call;
      await gate.before?.(method, url);
      // The signature covers the name of this proxy, so it is passed on.
      const outgoing = request({ hostname, port, method, path: url, headers });
      const sent = pipeline(call, outgoing);
      const [incoming] = await once(outgoing, 'response');
      response.writeHead(incoming.statusCode, incoming.headers);
      await Promise.all([sent, pipeline(incoming, response)]);
    } catch {
      response.destroy();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const gate: Gate = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: undefined,
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return gate;
}
