/** The service `echo`, which a user may replace. */
import { events } from './events.ts';
import type { ServiceHandler } from './service.ts';

/** Returns what it receives. The README describes its paths. */
export const echo: ServiceHandler = {
  async fetch(request) {
    const { method, headers, url } = request;
    const { pathname: path, search, searchParams } = new URL(url);
    const [, status] = /^\/status\/([2-5]\d\d)$/.exec(path) ?? [];
    const code = Number(status);
    if ([204, 205, 304].includes(code)) return new Response(null, { status: code });
    if (status !== undefined) return Response.json({ status: code }, { status: code });
    if (headers.get('accept')?.includes('text/event-stream')) {
      const list = searchParams.getAll('data').map((data) => ({ data }));
      return events(list, request);
    }
    if (path === '/body' && request.body !== null) {
      const type = headers.get('content-type') ?? 'application/octet-stream';
      return new Response(request.body, { headers: { 'content-type': type } });
    }
    const body = await request.text();
    const query = search.slice(1);
    return Response.json({ method, path, query, headers: Object.fromEntries(headers), body });
  },
  async webSocket(socket) {
    for await (const message of socket) await socket.send(message);
  },
};
