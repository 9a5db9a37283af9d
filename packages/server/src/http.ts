import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Config } from './config/config.ts';
import type { Dispatch } from './dispatch.ts';
import { readTls } from './tls.ts';
import { createStallWatch, refuseClientError } from './watch.ts';

/** How often Node checks for connections whose headers have not arrived. */
const HEADER_CHECK_MILLISECONDS = 1_000;

/** Maximum number of headers; requests with more get a 431. */
const MAX_HEADERS = 200;

type Listen = Config['listen'];

/** Creates the server for callers, hardened against slow clients, broken clients and too many clients. */
export async function createHttpServer(listen: Listen, dispatch: Dispatch): Promise<Server> {
  const options: ServerOptions = {
    headersTimeout: listen.headersSeconds * 1000,
    // A body may take any time as long as bytes arrive: see the watch.
    requestTimeout: 0,
    connectionsCheckingInterval: HEADER_CHECK_MILLISECONDS,
    keepAliveTimeout: listen.keepAliveSeconds * 1000,
    maxHeaderSize: listen.maxHeaderBytes,
    // The routers reject it in the contract's error format.
    requireHostHeader: false,
    noDelay: true,
    shouldUpgradeCallback: dispatch.shouldUpgrade,
  };
  const server = listen.tls
    ? createTlsServer({
        ...options,
        ...(await readTls(listen.tls)),
        minVersion: 'TLSv1.2',
        handshakeTimeout: listen.headersSeconds * 1000,
      })
    : createServer(options);
  server.maxHeadersCount = MAX_HEADERS;
  if (listen.maxConnections !== undefined) server.maxConnections = listen.maxConnections;
  const watch = createStallWatch(listen.stalledSeconds);
  const findFault = (request: IncomingMessage) => {
    // Before Node 24, excess headers were only dropped from `headers`, and still forwarded.
    if (request.rawHeaders.length > MAX_HEADERS * 2) return 'HPE_HEADER_OVERFLOW';
    return isAmbiguous(request) ? 'HPE_INVALID_HEADER_TOKEN' : undefined;
  };
  const serve =
    (listener: Dispatch['request']) => (request: IncomingMessage, response: ServerResponse) => {
      const code = findFault(request);
      if (code !== undefined) {
        refuseClientError(code, request.socket);
        return;
      }
      watch.addBody(request, response);
      listener(request, response);
    };
  return (
    server
      .on(listen.tls ? 'secureConnection' : 'connection', watch.addConnection)
      .on('request', serve(dispatch.request))
      .on('checkContinue', serve(dispatch.checkContinue))
      .on('upgrade', (request, socket, head) => {
        const code = findFault(request);
        if (code !== undefined) refuseClientError(code, socket);
        else dispatch.upgrade(request, socket, head);
      })
      .on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
        if (dispatch.hasOpenResponse(socket)) socket.destroy();
        else refuseClientError(error.code, socket);
      })
      // Node also reports it as a `clientError`, but no refusal can be sent without a handshake: `end`
      // would wait for one indefinitely.
      .on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy())
      .on('close', watch.close)
  );
}

/**
 * RFC 9112, section 6.1: "A server … that receives an HTTP/1.0 message containing a Transfer-Encoding header
 * field MUST treat the message as if the framing is faulty". Node accepts such a message, but an HTTP/1.0
 * proxy would find its end elsewhere. Only HTTP/1 is supported here, although Node accepts `HTTP/2.0`.
 */
function isAmbiguous({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): boolean {
  return (
    httpVersionMajor !== 1 || (httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined)
  );
}
