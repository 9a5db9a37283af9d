import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { request as sendRequest } from 'undici7';
import { listen } from '../../../../scripts/testing/listen.ts';

/** What a proxy does with a request. Only after `reset` and `busy`, the request was certainly not executed. */
export const FAULTS = [
  'none',
  'reset',
  'busy',
  'lose',
  'delay',
  'truncate',
  'repeat',
  'page',
  'stall',
] as const;

/** A fault, and where in the body it happens, from 0 to 1. */
export interface Fault {
  readonly kind: (typeof FAULTS)[number];
  readonly at: number;
}

/** A response of the target. */
interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

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
      const { status, headers, body } = await forward(target, request, sent);
      if (kind === 'lose') return socket.resetAndDestroy();
      if (kind === 'page') return response.writeHead(502).end('<html>Bad gateway</html>');
      if (kind === 'delay') await setTimeout(at * 20);
      response.writeHead(status, headers);
      if (kind === 'truncate' || kind === 'stall') {
        const part = body.subarray(0, Math.min(body.length - 1, Math.floor(at * body.length)));
        const cut = () => kind === 'truncate' && socket.destroy();
        response.flushHeaders();
        return part.length > 0 ? response.write(part, cut) : setImmediate(cut);
      }
      socket.cork();
      response.end(body);
      if (kind === 'repeat') socket.write(toBytes({ status, headers, body }));
      return socket.uncork();
    } catch {
      return socket.destroy();
    }
  });
  const { url, close } = await listen(server);
  return { url, forwarded, close, count: () => count };
}

const BUSY = '{"code":"SERVICE_NOT_READY","message":"Later.","requestId":"r"}';
const BUSY_HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r' };

async function forward(target: string, request: IncomingMessage, sent: Buffer): Promise<Received> {
  const { connection: _, 'transfer-encoding': __, ...headers } = request.headers;
  const url = target + request.url?.replace(/^https?:\/\/[^/]*/, '');
  const init = { method: request.method as 'GET', headers, body: sent.length > 0 ? sent : null };
  const response = await sendRequest(url, init);
  const { connection: ___, 'transfer-encoding': ____, ...rest } = response.headers;
  const body = Buffer.from(await response.body.arrayBuffer());
  const length = body.length > 0 && { 'content-length': String(body.length) };
  return { status: response.statusCode, headers: { ...rest, ...length }, body };
}

function toBytes({ status, headers, body }: Received): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Again\r\n${lines.join('')}\r\n`), body]);
}
