import { createServer, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isResponding } from '@berth/server-stubs';
import type { Application } from '../create-application.ts';
import { RecordedRequest } from '../record/recorded-request.ts';
import { answerBrokenBody, answerConnect, answerUnread } from './answer-broken.ts';

/** The latest answer of a connection. */
const LATEST = Symbol('latest answer');

/** How long a TLS handshake may take. */
const HANDSHAKE_MS = 10_000;

type Answering = Duplex & { [LATEST]?: ServerResponse };

/** Key and certificate in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * Makes the server whose events lead to an application.
 *
 * @param application the one in use; another one after a hot reload
 * @param certificate undefined for HTTP
 */
export async function createHttpServer(
  application: () => Application,
  certificate: Certificate | undefined,
): Promise<Server> {
  const options: ServerOptions<typeof RecordedRequest> = {
    IncomingMessage: RecordedRequest,
    // A missing Host is the gateway's to refuse, in its own shape.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => application().shouldUpgrade(request),
  };
  const server =
    certificate === undefined
      ? createServer(options)
      : (await import('node:https'))
          .createServer({ ...options, ...certificate, handshakeTimeout: HANDSHAKE_MS })
          // Node reports it as a `clientError` too, but `end` would wait for the handshake without a limit.
          .on('tlsClientError', (_error, socket) => socket.destroy());
  server
    .on('request', (request, response) => {
      (request.socket as Answering)[LATEST] = response;
      application().request(request, response);
    })
    .on('checkContinue', (request, response) => {
      (request.socket as Answering)[LATEST] = response;
      application().checkContinue(request, response);
    })
    // RFC 9110, section 10.1.1 lets a server that does not know an expectation ignore it.
    .on('checkExpectation', (request, response) => {
      (request.socket as Answering)[LATEST] = response;
      application().request(request, response);
    })
    // Node hands the sockets of both over without a listener; a client that is gone must not end the process.
    .on('upgrade', (request, socket, head) => {
      socket.on('error', () => {});
      if (isResponding(socket)) socket.destroy();
      else application().upgrade(request, socket, head);
    })
    .on('connect', (_request, socket) => {
      socket.on('error', () => {});
      answerConnect(socket);
    })
    .on('clientError', (error, socket) =>
      answerBroken(error, socket, (socket as Answering)[LATEST]),
    );
  return server as Server;
}

function answerBroken(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  response: ServerResponse | undefined,
): void {
  if (response === undefined || !socket.writable) {
    answerUnread(error, socket);
  } else if (response.req.complete) {
    // What is broken follows a whole request, whose answer goes first.
    if (response.writableFinished) answerUnread(error, socket);
    else response.once('finish', () => answerUnread(error, socket));
  } else if (response.headersSent) {
    // The request was refused before its end; there is nothing more to say.
    response.end();
  } else {
    answerBrokenBody(error, response);
    // Node forgets an answered request: who waits for the rest of it would wait for ever.
    socket.once('close', () => response.req.destroy());
  }
}
