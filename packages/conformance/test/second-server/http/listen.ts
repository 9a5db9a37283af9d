import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Lets a server listen on a free loopback port. `close` also ends what was upgraded. */
export async function listen(server: Server): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Headers as `node:http` has them raw: name, value, name, value, … */
export type RawHeaders = string[];

/** RFC 9110, section 7.6.1; and `Trailer`, for trailers are not passed on. */
const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
  'trailer',
];

/** The values of every header of that name, as they came. */
export function valuesOf(raw: RawHeaders, name: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** The headers in their order, without those of the names given in lower case. */
export function without(raw: RawHeaders, names: Iterable<string>): RawHeaders {
  const left = new Set(names);
  return raw.filter((_, at) => !left.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

/** The headers that go from end to end: no hop-by-hop header, and none that `Connection` names. */
export function endToEnd(raw: RawHeaders): RawHeaders {
  const named = valuesOf(raw, 'connection').flatMap((value) => value.split(','));
  return without(raw, [...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())]);
}

/**
 * The whole body; `undefined` where it is larger than `most` bytes. Such a body is read to its end and
 * thrown away, so that the caller gets its refusal. Rejects where the caller goes away before the end.
 */
export async function readBody(
  request: IncomingMessage,
  most: number,
): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > most) chunks = [];
    else chunks.push(chunk);
  }
  return size > most ? undefined : Buffer.concat(chunks);
}
