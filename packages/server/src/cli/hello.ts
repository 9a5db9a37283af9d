import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { WebSocketServer } from 'ws';

const { examples, responses } = gateway.components;
const EVENTS = 'text/event-stream';

/** The contract's example responses of a hosted service, which the `hello` of the mock returns too. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['application/json', JSON.stringify(examples.Greeting.value)],
  ['text/plain', examples.Text.value],
  [EVENTS, responses.ServiceResponse['x-berth-content'][EVENTS].examples.events.value],
]);

/**
 * Starts the demo service `hello` on a free loopback port, until the process ends, and returns its URL. It returns
 * the contract's example for the `Accept` header, and resumes events after `Last-Event-ID`. A WebSocket first gets
 * the text example, and then an echo of each message.
 */
export async function startHelloService(): Promise<string> {
  const server = createServer(respond);
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.send(examples.Text.value);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { accept, 'last-event-id': lastId } = request.headers;
  const type = chooseType(accept);
  const example = EXAMPLES.get(type) ?? '';
  const body = type === EVENTS ? eventsAfter(example, lastId) : example;
  request.resume().once('end', () => {
    // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
    if (body === '') response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': type }).end(body);
  });
}

/**
 * Returns the first type in `Accept` that the service supports, ignoring quality values, or JSON if it
 * supports none. Many clients list every type that they can read.
 */
function chooseType(accept = ''): string {
  const types = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '');
  return types.find((type) => EXAMPLES.has(type)) ?? 'application/json';
}

function eventsAfter(text: string, id: string | string[] | undefined): string {
  const events = text.split(/(?<=\n\n)/);
  return events.slice(events.findIndex((event) => event.startsWith(`id: ${id}\n`)) + 1).join('');
}
