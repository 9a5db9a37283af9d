import { createServer, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import type { Router } from '@berth/server-stubs/runtime';
import { loadDocument, serveDocument } from '../document.ts';
import { LOGGING, recordOf, setRecord } from '../log.ts';
import { isObject } from '../user-input.ts';
import type { RunningService, ServiceKind } from './service-kind.ts';
import { createUrlService, isUrl } from './url-service.ts';

export const documentService: ServiceKind = {
  accepts: 'an OpenAPI document or the path of a YAML or JSON file with one',
  async start(definition, { folder, watch, options }) {
    if (!isDocument(definition)) return undefined;
    const source = typeof definition === 'string' ? resolve(folder, definition) : definition;
    const loaded = await loadDocument(source, watch);
    return createDocumentService(serveDocument(loaded, options, LOGGING));
  },
};

function isDocument(definition: unknown): definition is object | string {
  if (typeof definition === 'string') {
    return /\.(ya?ml|json)$/i.test(definition) && !isUrl(definition);
  }
  if (!isObject(definition)) return false;
  const version = definition.openapi ?? definition.swagger;
  // An application in code may have a method with this name.
  return version !== undefined && typeof version !== 'function';
}

/**
 * Serves an OpenAPI document as a hosted service, like a real one, on connections in memory. The stubs' router needs
 * Node's request and response.
 */
function createDocumentService(router: Router): RunningService {
  /** The requests of callers, by the connections that forward them. */
  const callers = new WeakMap<Duplex, IncomingMessage>();
  // It does not listen, but only parses requests.
  const server = createServer((request, response) => {
    const record = recordOf(callers.get(request.socket) as IncomingMessage);
    // The log says why the document rejects a request.
    setRecord(request, record);
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
