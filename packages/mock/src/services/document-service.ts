import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import type { Router } from '@berth/server-stubs';
import type { RunningService } from './running-service.ts';
import { createUrlService } from './url-service.ts';

/** Opens a document: the path of a file, which is live, or a parsed document. */
export type OpenDocument = (source: string | object) => Promise<{ readonly listener: Router }>;

/** Serves an OpenAPI document as a hosted service, like a real one, on connections in memory. */
export async function createDocumentService(
  source: string | object,
  openDocument: OpenDocument,
): Promise<RunningService> {
  const { listener } = await openDocument(source);
  const server = createServer(listener);
  server.on('checkContinue', listener.checkContinue);
  const { call } = createUrlService(new URL('http://document'), () => {
    const [client, connection] = duplexPair();
    server.emit('connection', connection);
    return client;
  });
  return { call, isDocument: true };
}
