import { createServer, type IncomingMessage } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { ServedDocument } from '../document.ts';
import type { Live } from '../live.ts';
import { recordOf, setRecord } from '../log.ts';
import type { RunningService } from './service.ts';
import { createUrlService } from './url-service.ts';

/** Serves an OpenAPI document as a hosted service, like a real one, on connections in memory. */
export function createDocumentService(document: Live<ServedDocument>): RunningService {
  /** The requests of callers, by the connections that forward them. */
  const callers = new WeakMap<Duplex, IncomingMessage>();
  // It does not listen, but only parses requests.
  const server = createServer((request, response) => {
    // The log says why the document rejects a request.
    setRecord(request, recordOf(callers.get(request.socket) as IncomingMessage));
    void document.use(({ router }) => router(request, response));
  });
  return createUrlService(new URL('http://document'), ({ request }) => {
    const [client, connection] = duplexPair();
    callers.set(connection, request);
    server.emit('connection', connection);
    return client;
  });
}
