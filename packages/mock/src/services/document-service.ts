import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import { CALLS_BY_REQUEST, callOf, ROUTER_HOOKS } from '../call.ts';
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
 * reads from the other. It gives the parsed request the caller's call, so that the log says why the document
 * rejects it.
 *
 * @param source path of a file, or a parsed document
 */
export async function startDocumentService(
  source: string | OpenApiDocument,
  { watch, options }: ServiceContext,
): Promise<RunningService> {
  const router = serveDocument(await loadDocument(source, watch), options, ROUTER_HOOKS);
  return createUrlService(new URL('http://document'), ({ request: caller }) => {
    const [client, connection] = duplexPair();
    const server = createServer((request, response) => {
      const call = callOf(caller);
      CALLS_BY_REQUEST.set(request, call);
      call.operationId = router.find(request)?.operationId;
      router(request, response);
    });
    server.emit('connection', connection);
    return client;
  });
}
