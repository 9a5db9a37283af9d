import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Call, Caller } from '../http/caller.ts';
import type { Exchange } from '../http/exchange.ts';

/** A server on loopback that makes prepared calls for Dredd, as all others of the run are made. */
export interface Relay {
  /** Prepares a call; a request to the returned URL makes it, once. */
  prepare(call: Call, onEnd: (ending: Exchange | Error) => void): string;
  close(): Promise<void>;
}

/** Hop-by-hop headers, and the length, belong to the connection of the real call. */
const OWN = /^(connection|keep-alive|transfer-encoding|content-length)$/i;

export async function startRelay(caller: Caller): Promise<Relay> {
  const prepared = new Map<string, { call: Call; onEnd: (ending: Exchange | Error) => void }>();
  const server = createServer(async (request, response) => {
    request.resume();
    const id = (request.url ?? '').slice(1);
    const { call, onEnd } = prepared.get(id) ?? {};
    prepared.delete(id);
    if (call === undefined) return void response.writeHead(404).end();
    let ending: Exchange | Error;
    try {
      ending = await caller.call(call);
    } catch (error) {
      ending = error as Error;
    }
    onEnd?.(ending);
    if (ending instanceof Error) return void response.destroy();
    const { status, headers, body } = ending.received;
    const kept = headers.filter(([name]) => !OWN.test(name));
    try {
      response.writeHead(status, kept.flat()).end(body);
    } catch {
      // No answer that Dredd could be told of; what it is worth is judged without Dredd.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    prepare(call, onEnd) {
      const id = randomUUID();
      prepared.set(id, { call, onEnd });
      return `http://127.0.0.1:${port}/${id}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
