import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import { openDocument, type ServedDocument, serveDocument } from '../document.ts';
import type { Live } from '../live.ts';
import { LOGGING, recordOf, setRecord } from '../log.ts';
import { isObject } from '../user-input.ts';
import type { RunningService, ServiceKind } from './service-kind.ts';
import { createUrlService } from './url-service.ts';

export const documentService: ServiceKind = {
  form: 'an OpenAPI document or the path of a file with one',
  async start(definition, { folder, options }) {
    const source = typeof definition === 'string' ? resolve(folder, definition) : definition;
    if (!isDocument(source)) return undefined;
    const serve = (loaded: DocumentRoutes) => serveDocument(loaded, options, LOGGING);
    return createDocumentService(await openDocument(source, serve, options));
  },
};

function isDocument(source: unknown): source is object | string {
  if (typeof source === 'string') return existsSync(source);
  return isObject(source) && ('openapi' in source || 'swagger' in source);
}

/**
 * Serves an OpenAPI document as a hosted service, like a real one, on connections in memory. The stubs' router needs
 * Node's request and response.
 */
function createDocumentService(document: Live<ServedDocument>): RunningService {
  /** The requests of callers, by the connections that forward them. */
  const callers = new WeakMap<Duplex, IncomingMessage>();
  // It does not listen, but only parses requests.
  const server = createServer(async (request, response) => {
    const record = recordOf(callers.get(request.socket) as IncomingMessage);
    // The log says why the document rejects a request.
    setRecord(request, record);
    await document.refresh();
    const { router } = document.current;
    record.operationId = router.find(request)?.operationId;
    router(request, response);
  });
  return createUrlService(new URL('http://document'), ({ request }) => {
    const [client, connection] = duplexPair();
    callers.set(connection, request);
    server.emit('connection', connection);
    return client;
  });
}
