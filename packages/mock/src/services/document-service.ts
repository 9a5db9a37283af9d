import { createServer } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { beginCall, callOf, type MockCall, ROUTER_HOOKS } from '../call.ts';
import { loadDocument, serveDocument } from '../document.ts';
import { isObject } from '../user-input.ts';
import type { RunningService, ServiceContext } from './running-service.ts';
import type { OpenApiDocument } from './service.ts';
import { createUrlService } from './url-service.ts';

export function isDocument(definition: unknown): definition is OpenApiDocument {
  if (!isObject(definition)) return false;
  const version = definition.openapi ?? definition.swagger;
  // An application in code may have another member with this name.
  return ['string', 'number'].includes(typeof version);
}

/**
 * Serves an OpenAPI document as a hosted service. The stubs' router needs Node's request and response, so each call is
 * forwarded as HTTP on a connection in memory: `createUrlService` writes to one end, and a server that does not listen
 * reads from the other. Both requests belong to the caller's call, so that the log says why the document rejects it.
 *
 * @param source path of a file, or a parsed document
 */
export async function startDocumentService(
  source: string | OpenApiDocument,
  { watch, options }: ServiceContext,
): Promise<RunningService> {
  const loaded = await loadDocument(source, watch, options);
  const router = serveDocument(loaded, options, ROUTER_HOOKS);
  const calls = new WeakMap<Duplex, MockCall>();
  const server = createServer((request, response) => {
    const call = calls.get(request.socket) as MockCall;
    beginCall(request, call);
    call.operationId = router.find(request)?.operationId;
    router(request, response);
  });
  return createUrlService(new URL('http://document'), ({ request }) => {
    const [client, connection] = duplexPair();
    calls.set(connection, callOf(request));
    server.emit('connection', connection);
    return client;
  });
}
