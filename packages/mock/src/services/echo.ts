import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import type { GatewayInput, ServiceResponse } from '@berth/server-stubs';
import { createHandlerService, type HandlerOptions } from './handler-service.ts';
import { events } from './helpers.ts';
import { type RunningService, toServiceHeaders } from './running-service.ts';
import type { ServiceSocket } from './service.ts';

/**
 * Creates the built-in `echo` service, which returns what it receives.
 *
 * - `/status/<status>` responds with that status.
 * - `/broken` responds with JSON that is incomplete.
 * - `POST /body` streams the body back, with its own type.
 * - A call that accepts `text/event-stream` gets an event for each `data` in the query.
 * - Any other call gets its method, path, query, headers and body as JSON, with `base64` instead of `body` for bytes
 *   that are not UTF-8.
 * - A WebSocket echoes each message. The text `close 4001` closes it with that code.
 */
export function createEcho(options: HandlerOptions): RunningService {
  const handlers = createHandlerService(
    'echo',
    {
      fetch(request) {
        const data = new URL(request.url).searchParams.getAll('data');
        return events(
          data.map((text) => ({ data: text })),
          request,
        );
      },
      webSocket: echoMessages,
    },
    options,
  );
  return {
    ...handlers,
    call(input, call) {
      const { accept = '' } = input.headers;
      return accept.includes('text/event-stream') ? handlers.call(input, call) : echo(input);
    },
  };
}

async function echo(input: GatewayInput): Promise<ServiceResponse> {
  const { method, anyPath, rawQuery = '', body, headers } = input;
  const [, status] = /^status\/([2-5]\d\d)$/.exec(anyPath) ?? [];
  if (status !== undefined) return toJson({ status: Number(status) }, Number(status));
  if (anyPath === 'broken') return { ...toJson({}), body: '{"broken":' };
  if (anyPath === 'body' && body !== undefined) {
    const type = String(headers['content-type'] ?? 'application/octet-stream');
    return { status: 200, headers: { 'content-type': type }, body };
  }
  const bytes = body === undefined ? Buffer.alloc(0) : await buffer(body);
  const content = isUtf8(bytes) ? { body: bytes.toString() } : { base64: bytes.toString('base64') };
  const lines = Object.entries(toServiceHeaders(input)).map(([name, value]) => [name, `${value}`]);
  const path = `/${anyPath}`;
  return toJson({ method, path, query: rawQuery, headers: Object.fromEntries(lines), ...content });
}

function toJson(value: object, status = 200): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}

async function echoMessages(socket: ServiceSocket): Promise<void> {
  for await (const message of socket) {
    const [, code] = /^close (\d{4})$/.exec(typeof message === 'string' ? message : '') ?? [];
    if (code === undefined) await socket.send(message);
    else return socket.close(Number(code));
  }
}
