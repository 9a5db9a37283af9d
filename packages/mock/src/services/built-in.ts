import { isUtf8 } from 'node:buffer';
import { documents } from '../contract/contract.ts';
import { type CompiledService, compileService } from './compile-service.ts';
import {
  defineService,
  type FakeSocket,
  type RouteResponse,
  type ServiceCall,
} from './fake-service.ts';
import { readBytes } from './prepare-route.ts';

/**
 * The built-in `echo` service, which returns what it receives.
 *
 * - `/status/{status}` responds with that status and `{ "status": … }`. A WebSocket is rejected with that
 *   status.
 * - `/broken` responds with a 200, the type `application/json` and the text `{"broken":`.
 * - `POST /body` streams the body back as it arrives, with its own type.
 * - Any other call that accepts `text/event-stream` gets an event for each value of `data` in the query, or
 *   for each line of the body. IDs start at 1, and `Last-Event-ID` is supported.
 * - Any other call gets its method, target, headers and body as JSON, with `base64` instead of `body` for
 *   bytes that are not UTF-8.
 * - Any other WebSocket echoes each message. The text `close 4001` closes it with that code.
 */
export const echo = defineService({
  routes: {
    'GET /status/{status}': respondWithStatus,
    'POST /status/{status}': respondWithStatus,
    'WS /status/{status}': respondWithStatus,
    'GET /broken': { headers: { 'content-type': 'application/json' }, text: '{"broken":' },
    'POST /body': ({ headers, body }) => ({
      status: 200,
      headers: { 'content-type': String(headers['content-type'] ?? 'application/octet-stream') },
      ...(body !== undefined && { body }),
    }),
    'GET /*': handleCall,
    'POST /*': handleCall,
    'WS /*': { webSocket: echoMessages },
  },
});

function respondWithStatus({ params }: ServiceCall): RouteResponse {
  const status = Number(params.status);
  if (status >= 200 && status <= 599) return { status, json: { status } };
  return { status: 400, json: { message: 'The status must be a number from 200 to 599.' } };
}

async function handleCall(call: ServiceCall): Promise<RouteResponse> {
  const { method, target, headers, query } = call;
  const bytes = await readBytes(call.body);
  if (String(headers.accept).includes('text/event-stream')) {
    const data = query.has('data') ? query.getAll('data') : linesOf(bytes);
    return { events: data.map((line, at) => ({ id: at + 1, data: line })) };
  }
  const lines = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { json: { method, target, headers: Object.fromEntries(lines), ...bodyOf(bytes) } };
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString().split(/\r\n|\r|\n/);
}

function bodyOf(bytes: Buffer) {
  return isUtf8(bytes) ? { body: bytes.toString() } : { base64: bytes.toString('base64') };
}

async function echoMessages(socket: FakeSocket): Promise<void> {
  for await (const message of socket) {
    const [, code] = /^close (\d{4})$/.exec(typeof message === 'string' ? message : '') ?? [];
    if (code === undefined) await socket.send(message);
    else return socket.close(Number(code));
  }
}

/**
 * Creates the built-in `hello` service, which returns the contract's example for the `Accept` header. A
 * WebSocket first gets the text example, and then an echo of each message.
 */
export function createHello(): CompiledService {
  const text = documents.gateway.components.examples.Text.value;
  const greet = async (socket: FakeSocket) => {
    await socket.send(text);
    for await (const message of socket) await socket.send(message);
  };
  const service = compileService('hello', { routes: { 'WS /*': { webSocket: greet } } });
  return { ...service, isExample: true };
}
