import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError, StorageError, UploadError } from '@berth/server-stubs';
import { CORS, type Cors, countHosts, toResponse, toWireForm } from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';
import { recordOf, type Surface } from './call-record.ts';

// The connection sends a refusal and drops the request. A router sends a rejection.

const badRequest = (status: number, message: string) =>
  new GatewayError('INVALID_REQUEST', { status, message });

const MALFORMED = badRequest(400, 'The request is not valid HTTP.');
const TOO_LARGE = badRequest(431, 'The request line and headers are too large.');
export const TOO_SLOW = badRequest(408, 'The request body arrived too slowly.');

const UNKNOWN_CODING = badRequest(400, 'The only supported Transfer-Encoding is chunked.');
const BAD_HOST = new GatewayError('INVALID_HOST', {
  message: 'The Host header is missing or duplicated.',
});

/** D11: "any other method gets a 405 with the error body". Node has no response for this one. */
const NO_TUNNELS = new GatewayError('METHOD_NOT_ALLOWED', {
  message: 'CONNECT is not supported.',
  headers: { allow: CORS.allowMethods.gateway.join(', ') },
});

const REFUSALS: Readonly<Record<string, GatewayError>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: badRequest(413, 'The chunk extensions are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: badRequest(408, 'The request took too long to arrive.'),
};

export const MAX_HEADERS = 200;

/** Returns the error for requests that Node cannot parse, or has timed out. */
export function toRefusal({ code = '' }: NodeJS.ErrnoException): GatewayError {
  return REFUSALS[code] ?? MALFORMED;
}

/**
 * Finds what Node accepts and HTTP or the contract does not. RFC 9112, section 6.1: "A server … that receives an
 * HTTP/1.0 message containing a Transfer-Encoding header field MUST treat the message as if the framing is faulty": an
 * HTTP/1.0 proxy would find its end elsewhere. Only HTTP/1 is supported here, although Node accepts `HTTP/2.0`.
 */
export function findFramingError(request: IncomingMessage): GatewayError | undefined {
  // Before Node 24, excess headers were only dropped from `headers`, and still forwarded.
  if (request.rawHeaders.length > MAX_HEADERS * 2) return TOO_LARGE;
  const { httpVersionMajor, httpVersionMinor, headers } = request;
  const coding = headers['transfer-encoding'];
  if (httpVersionMajor !== 1) return MALFORMED;
  if (httpVersionMinor === 0 && coding !== undefined) return MALFORMED;
  // Only the chunks are decoded here, and a service would not learn about the other coding.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return UNKNOWN_CODING;
  // RFC 9112, section 3.2: a request without `Host`, or with several, "MUST" be refused.
  const hosts = countHosts(request);
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) return BAD_HOST;
  return request.method === 'CONNECT' ? NO_TUNNELS : undefined;
}

type Refusal = GatewayError | StorageError | UploadError;

/** What refusals need of the application, which a reload replaces. */
export interface Refusals {
  /** So that pages can read refusals. */
  readonly cors: Cors;
  readonly wireProfile: WireProfile;
  /** The request is undefined if it cannot be parsed. */
  readonly onRefused: (error: Refusal, requestId: string, request?: IncomingMessage) => void;
}

const UNPARSED_REQUEST = { method: 'GET', url: '/', headers: {} } as IncomingMessage;

/** Sends a refusal in the contract's error format, and closes the connection. */
export function sendRefusal(
  socket: Socket,
  error: GatewayError,
  { cors, wireProfile, onRefused }: Refusals,
  received?: IncomingMessage,
): void {
  const request = received ?? UNPARSED_REQUEST;
  const record = received && recordOf(received);
  const refusal = toSurfaceError(error, record?.surface);
  // A service may have received the ID of the call.
  const requestId = record?.call?.requestId ?? randomUUID();
  onRefused(refusal, requestId, received);
  const rawPath = request.url?.replace(/\?.*/s, '') ?? '/';
  const response = refusal[toResponse]({ request, requestId, rawPath });
  const isText = typeof response.body === 'string';
  const body = isText ? response.body : JSON.stringify(toWireForm(response.body, wireProfile));
  const headers = {
    'content-type': 'application/json',
    ...response.headers,
    ...cors.response(request.headers.origin),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    date: new Date().toUTCString(),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = refusal;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  // RFC 9110, section 9.3.2.
  socket.end(request.method === 'HEAD' ? head : head + body, () => socket.destroy());
}

/** Until a router has a request, its surface is the gateway. */
function toSurfaceError(error: GatewayError, surface: Surface = 'gateway'): Refusal {
  if (surface === 'gateway') return error;
  const { status, message } = error;
  return surface === 'storage'
    ? new StorageError('INVALID_PARAM', { status, message })
    : new UploadError('MalformedPOSTRequest', { status, message });
}
