import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };

/** The contract's example, which the `hello` of the mock returns too. */
const GREETING = JSON.stringify(gateway.components.examples.Greeting.value);

/** Starts the demo service `hello` on a free loopback port, until the process ends, and returns its URL. */
export async function startHelloService(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(GREETING);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
