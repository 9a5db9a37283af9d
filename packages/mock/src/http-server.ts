import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { UpgradeResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { refusalFor } from './contract/surface.ts';
import { CLOSE, sendRefusal } from './early-responses.ts';
import { RecordedRequest } from './log.ts';

/** What a server does with its requests. */
export interface Application {
  readonly request: RequestListener;
  readonly checkContinue: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

/** The last response on each connection, which may still be in progress when broken data follows. */
const lastResponses = new WeakMap<Duplex, ServerResponse>();

/** Creates the server of an application. What is not valid HTTP gets an error of the gateway. */
export function createHttpServer(application: Application, profile: WireProfile): Server {
  const server = createServer({
    IncomingMessage: RecordedRequest,
    // The gateway rejects a missing Host in its own format.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => application.shouldUpgrade(request),
  });
  const to =
    (event: 'request' | 'checkContinue'): RequestListener =>
    (request, response) => {
      lastResponses.set(request.socket, response);
      application[event](request, response);
    };
  server
    .on('request', to('request'))
    .on('checkContinue', to('checkContinue'))
    // RFC 9110, section 10.1.1 allows a server to ignore an unknown expectation.
    .on('checkExpectation', to('request'))
    // Upgraded sockets have no error listener; a client that disconnects must not end the process.
    .on('upgrade', (request, socket, head) => {
      socket.on('error', () => {});
      application.upgrade(request, socket, head);
    })
    .on('connect', (request, socket, head) => {
      const headers = { allow: 'GET, HEAD, POST, OPTIONS' };
      const message = 'The mock is not a proxy.';
      const error = new GatewayError('METHOD_NOT_ALLOWED', { message, headers });
      const response = UpgradeResponse.create(request, socket, head);
      if (response === undefined) socket.destroy();
      else sendRefusal(error, response, profile, CLOSE);
    })
    .on('clientError', (error, socket) => respondToBrokenRequest(error, socket, profile));
  return server;
}

function respondToBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  profile: WireProfile,
): void {
  const response = lastResponses.get(socket);
  if (response === undefined || !socket.writable) {
    respondUnread(error, socket, profile);
  } else if (response.req.complete) {
    // The broken data follows a complete request, whose response comes first.
    if (response.writableFinished) respondUnread(error, socket, profile);
    else response.once('finish', () => respondUnread(error, socket, profile));
  } else if (response.headersSent) {
    // The request was rejected before its end; there is nothing more to send.
    response.end();
  } else {
    // The body was truncated.
    const surface = (response.req as RecordedRequest).record?.surface ?? 'gateway';
    sendRefusal(refusalFor('invalid', surface, toDefect(error)), response, profile, CLOSE);
    // Node discards a request after its response, so waiting for the rest would never end.
    socket.once('close', () => response.req.destroy());
  }
}

/** Stands for a request that could not be parsed, whose surface is unknown. */
const UNREAD = { method: 'GET', headers: {}, httpVersionMajor: 1, httpVersionMinor: 1 };

function respondUnread(error: NodeJS.ErrnoException, socket: Duplex, profile: WireProfile): void {
  const response = socket.writable
    ? UpgradeResponse.create(UNREAD as IncomingMessage, socket, Buffer.alloc(0))
    : undefined;
  // Node may report several errors on one connection.
  if (response === undefined) socket.destroy();
  else sendRefusal(refusalFor('invalid', 'gateway', toDefect(error)), response, profile, CLOSE);
}

/** Maps a parse error of Node to a status (RFC 9110, RFC 6585) and a message. */
function toDefect({ code }: NodeJS.ErrnoException): { status: number; message: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request took too long to arrive.' };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, message: 'The request headers are too large.' };
    default:
      return { status: 400, message: 'The request is not valid HTTP.' };
  }
}
