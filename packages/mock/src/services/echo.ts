import { isUtf8 } from 'node:buffer';
import { events } from './helpers.ts';
import type { ServiceHandler } from './service.ts';

/**
 * The built-in `echo` service, which returns what it receives.
 *
 * - `/status/<status>` responds with that status.
 * - `POST /body` streams the body back, with its own type.
 * - A call that accepts `text/event-stream` gets an event for each `data` in the query.
 * - Any other call gets its method, path, query, headers and body as JSON, with `base64` instead of `body` for bytes
 *   that are not UTF-8.
 * - A WebSocket echoes each message. The text `close 4001` closes it with that code.
 */
export const echo: ServiceHandler = {
  async fetch(request) {
    const { method, headers, url } = request;
    const { pathname: path, search, searchParams } = new URL(url);
    if (headers.get('accept')?.includes('text/event-stream')) {
      const data = searchParams.getAll('data');
      return events(
        data.map((text) => ({ data: text })),
        request,
      );
    }
    const [, status] = /^\/status\/([2-5]\d\d)$/.exec(path) ?? [];
    if (status !== undefined) return toStatusResponse(Number(status));
    if (path === '/body' && request.body !== null) {
      const type = headers.get('content-type') ?? 'application/octet-stream';
      return new Response(request.body, { headers: { 'content-type': type } });
    }
    const bytes = Buffer.from(await request.arrayBuffer());
    const content = isUtf8(bytes)
      ? { body: bytes.toString() }
      : { base64: bytes.toString('base64') };
    const query = search.slice(1);
    return Response.json({ method, path, query, headers: Object.fromEntries(headers), ...content });
  },
  async webSocket(socket) {
    for await (const message of socket) {
      const [, code] = /^close (\d{4})$/.exec(typeof message === 'string' ? message : '') ?? [];
      if (code === undefined) await socket.send(message);
      else return socket.close(Number(code));
    }
  },
};

function toStatusResponse(status: number): Response {
  const isBodiless = [204, 205, 304].includes(status);
  return isBodiless ? new Response(null, { status }) : Response.json({ status }, { status });
}
