import { Agent, createServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { listen } from '../../../../scripts/testing/listen.ts';

/** What a proxy does with a request. Only after `reset` and `busy`, the request was certainly not executed. */
export const FAULTS = ['none', 'reset', 'busy', 'lose', 'truncate', 'page', 'stall'] as const;

/** A fault, and where in the body it happens, from 0 to 1. */
export interface Fault {
  readonly kind: (typeof FAULTS)[number];
  readonly at: number;
}

const agent = new Agent({ keepAlive: true });

/**
 * Starts a proxy on loopback with a fault for each request, in order; requests after the last fault have none. It lists
 * the method, URL and body of each request that it forwards.
 */
export async function startProxy(target: string, faults: readonly Fault[]) {
  const forwarded: string[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const { kind, at } = faults[count] ?? { kind: 'none', at: 0 };
    count += 1;
    const { socket, method, url } = request;
    try {
      const sent = Buffer.concat(await request.toArray());
      if (kind === 'reset') return socket.resetAndDestroy();
      if (kind === 'busy') return response.writeHead(503, BUSY_HEADERS).end(BUSY);
      forwarded.push(`${method} ${url} ${sent.toString('latin1')}`);
      const received = await forward(target, request, sent);
      const body = Buffer.concat(await received.toArray());
      if (kind === 'lose') return socket.resetAndDestroy();
      if (kind === 'page') return response.writeHead(502).end('<html>Bad gateway</html>');
      const { 'transfer-encoding': _, connection: __, ...headers } = received.headers;
      if (body.length > 0) headers['content-length'] = String(body.length);
      response.writeHead(received.statusCode ?? 0, headers);
      if (kind === 'none') return response.end(body);
      const part = body.subarray(0, Math.min(body.length - 1, Math.floor(at * body.length)));
      const cut = () => kind === 'truncate' && socket.destroy();
      response.flushHeaders();
      return part.length > 0 ? response.write(part, cut) : setImmediate(cut);
    } catch {
      return socket.destroy();
    }
  });
  const { url, close } = await listen(server);
  return { url, forwarded, close, count: () => count };
}

const BUSY = '{"code":"SERVICE_NOT_READY","message":"Later.","requestId":"r"}';
const BUSY_HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r' };

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const path = url?.replace(/^https?:\/\/[^/]*/, '');
    const sent = sendRequest(target, { method, path, headers, agent }, resolve);
    sent.on('error', reject).end(body);
  });
}
