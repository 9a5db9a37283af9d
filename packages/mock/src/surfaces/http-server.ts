import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { UpgradeResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { refusalFor, type SurfaceName, sendRefusal } from '../contract/surface.ts';
import { RecordedRequest, RecordedResponse } from '../session/call-record.ts';

export interface Application {
  readonly request: RequestListener;
  readonly checkContinue: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

const LATEST = Symbol('last response');

type RespondingSocket = Duplex & { [LATEST]?: ServerResponse };

/** Creates the server and connects its events to an application. */
export function createHttpServer(
  application: Application,
  profile: WireProfile,
): Server<typeof RecordedRequest, typeof RecordedResponse> {
  const options: ServerOptions<typeof RecordedRequest, typeof RecordedResponse> = {
    IncomingMessage: RecordedRequest,
    ServerResponse: RecordedResponse,
    // The gateway rejects a missing Host in its own format.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => application.shouldUpgrade(request),
  };
  const server = createServer(options);
  const to = (event: 'request' | 'checkContinue'): RequestListener => {
    return (request, response) => {
      (request.socket as RespondingSocket)[LATEST] = response;
      application[event](request, response);
    };
  };
  server
    .on('request', to('request'))
    .on('checkContinue', to('checkContinue'))
    // RFC 9110, section 10.1.1 allows a server to ignore an unknown expectation.
    .on('checkExpectation', to('request'))
    // Both events come with sockets without an error listener; a client that disconnects must not end the
    // process.
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
    .on('clientError', (error, socket) =>
      respondToBrokenRequest(error, socket, (socket as RespondingSocket)[LATEST], profile),
    );
  return server;
}

function respondToBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  response: ServerResponse | undefined,
  profile: WireProfile,
): void {
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
    const refusal = refusalFor('invalid', surface, DEFECTS[error.code ?? ''] ?? MALFORMED);
    sendRefusal(refusal, response, profile, CLOSE);
    // Node discards a request after its response, so waiting for the rest would never end.
    socket.once('close', () => response.req.destroy());
  }
}

/** Maps a Node parse error to a status (RFC 9110, RFC 6585) and a message. */
interface Defect {
  readonly status: number;
  readonly message: string;
}

const MALFORMED: Defect = { status: 400, message: 'The request is not valid HTTP.' };

const DEFECTS: Readonly<Record<string, Defect>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large.' },
};

/** Stands for a request that could not be parsed. */
const UNREAD = { method: 'GET', headers: {}, httpVersionMajor: 1, httpVersionMinor: 1 };

/**
 * Responds on a connection whose request could not be parsed: invalid syntax, headers that are too large, or
 * a timeout. The surface is unknown, so the gateway's error format is used.
 */
function respondUnread(error: NodeJS.ErrnoException, socket: Duplex, profile: WireProfile): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalFor('invalid', 'gateway', DEFECTS[error.code ?? ''] ?? MALFORMED);
  const response = UpgradeResponse.create(UNREAD as IncomingMessage, socket, Buffer.alloc(0));
  // Node may report several errors on one connection.
  if (response !== undefined) sendRefusal(refusal, response, profile, CLOSE);
}

const CLOSE = { connection: 'close' };

/** Ends a request after an internal error, in its surface's error format. */
export function respondToFailure(
  error: Error,
  surface: SurfaceName,
  response: ServerResponse,
  profile: WireProfile,
): void {
  process.emitWarning(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const message = 'Internal error in the mock: see its warnings for details.';
  sendRefusal(refusalFor('failed', surface, { status: 500, message }), response, profile, CLOSE);
}
