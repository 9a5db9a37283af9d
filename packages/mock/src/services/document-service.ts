import { createServer, type IncomingMessage } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { Router } from '@berth/server-stubs';
import { copyRecord } from '../log.ts';
import type { RunningService } from './running-service.ts';
import { createUrlService } from './url-service.ts';

/** Opens a document: the path of a file, which is live, or a parsed document. */
export type OpenDocument = (source: string | object) => Promise<Router>;

/** Serves an OpenAPI document as a hosted service, like a real one, on connections in memory. */
export async function createDocumentService(
  source: string | object,
  openDocument: OpenDocument,
): Promise<RunningService> {
  const router = await openDocument(source);
  /** The requests of callers, by the connections that forward them. */
  const callers = new WeakMap<Duplex, IncomingMessage>();
  const server = createServer((request, response) => {
    const caller = callers.get(request.socket);
    // The log says why the document refuses a request.
    if (caller !== undefined) copyRecord(caller, request);
    router(request, response);
  });
  const { call } = createUrlService(new URL('http://document'), ({ request }) => {
    const [client, connection] = duplexPair();
    callers.set(connection, request);
    server.emit('connection', connection);
    return client;
  });
  return { call, isDocument: true };
}
