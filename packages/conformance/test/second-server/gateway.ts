import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endToEnd, type RawHeaders, readBody, valuesOf, without } from './http.ts';
import { limits } from './limits.ts';
import { type KeyPair, verifySignature } from './verify-signature.ts';

/** What a gateway knows. */
interface GatewaySettings {
  env: string;
  /** Hosted services: name → URL. */
  services: Map<string, URL>;
  /** The service that nobody may call. */
  forbidden: string;
  /** Issued tokens: token → environment. */
  tokens: Map<string, { env: string; expires: number }>;
  keyPair: KeyPair;
  nextRequestId: () => string;
}

/** A call that may reach its service. */
interface Authorized {
  service: URL;
  /** Path and query for the service, byte for byte. */
  path: string;
}

/** The gateway: `/v1/cloudrun/{name}/{anyPath}` of one environment. */
export function createGateway(settings: GatewaySettings): Server {
  const isWebSocket = ({ method, headers }: IncomingMessage) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  const options = { requireHostHeader: false, shouldUpgradeCallback: isWebSocket };
  const server = createServer(options, async (call, response) => {
    const id = settings.nextRequestId();
    const body = await readBody(call, limits.gatewayBodyBytes).catch(() => null);
    if (body === null) return;
    if (body === undefined) return refuse(response, 'BODY_TOO_BIG', id);
    const authorized = authorize(call, body, settings);
    if (typeof authorized === 'string') return refuse(response, authorized, id);
    const upstream = callService(authorized, call, body);
    upstream.on('response', (received) => {
      passOn(received, response, toResponseHeaders(received, id, toDisposition(call, received)));
    });
    upstream.on('error', () => refuse(response, 'UPSTREAM_BROKEN', id));
    upstream.end(body);
  });
  server.on('upgrade', (call, socket: Socket, head) => {
    const id = settings.nextRequestId();
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(call);
    response.assignSocket(socket);
    response.on('finish', () => socket.end());
    const authorized = authorize(call, Buffer.alloc(0), settings);
    if (typeof authorized === 'string') return refuse(response, authorized, id);
    upgrade(authorized, { call, id, socket, head, response });
  });
  return server;
}

/** "`anyPath` is optional", and what follows the name is forwarded unchanged (D3), including `.` and `..`. */
const TARGET = /^\/v1\/cloudrun\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

/**
 * "Starts with a letter, then 0 to 58 characters from letters, digits, underscore, hyphen, then ends with a letter
 * or digit."
 */
const SERVICE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/;

/** Finds the hosted service for a call, or why there is none. */
function authorize(
  call: IncomingMessage,
  body: Buffer,
  settings: GatewaySettings,
): Authorized | RefusalCode {
  const { method = '', url = '', headers } = call;
  if (method !== 'GET' && method !== 'POST') return 'VERB_UNKNOWN';
  const [whole, name = '', path = '/', query = ''] = TARGET.exec(url) ?? [];
  if (whole === undefined) return 'NO_ROUTE';
  // "In the gateway it is the first label of the host name."
  if (headers.host?.split('.')[0]?.toLowerCase() !== settings.env) return 'WRONG_HOST';
  const refused = checkCredentials(call, body, settings);
  if (refused) return refused;
  if (!SERVICE_NAME.test(name)) return 'BAD_NAME';
  if (name === settings.forbidden) return 'SERVICE_FORBIDDEN';
  const service = settings.services.get(name);
  if (!service) return 'SERVICE_NOT_FOUND';
  // D13: "Other deployments may reject content types other than `application/json`." Forms can be signed
  // (D16).
  const type = mediaType(headers['content-type']);
  const isTaken = type === 'application/json' || type === 'multipart/form-data';
  if (method === 'POST' && body.length > 0 && !isTaken) return 'TYPE_REFUSED';
  return { service, path: path + query };
}

/** "Either of two alternative schemes, each one alone suffices." Returns why the call is rejected. */
function checkCredentials(
  call: IncomingMessage,
  body: Buffer,
  { env, tokens, keyPair }: GatewaySettings,
): RefusalCode | undefined {
  const value = call.headers.authorization?.trim();
  if (!value) return 'NO_AUTH';
  if (value.startsWith('TC3-HMAC-SHA256')) {
    return verifySignature(call, value, body, keyPair) ? undefined : 'BAD_SIGNATURE';
  }
  const [, token = ''] = /^bearer +(\S+)$/i.exec(value) ?? [];
  const owner = tokens.get(token);
  // "Token belongs to the environment."
  return owner?.env === env && owner.expires > Date.now() ? undefined : 'BAD_TOKEN';
}

/** What the gateway consumes itself: credentials are not meant for the service, and `Expect` is handled. */
const FOR_THE_GATEWAY = ['host', 'authorization', 'expect', 'content-length'];

/** The gateway's request ID is not among the headers that a hosted service receives. */
function callService(
  { service, path }: Authorized,
  { method, rawHeaders }: IncomingMessage,
  body: Buffer,
  more: RawHeaders = [],
) {
  const hasLength = method === 'POST' || body.length > 0;
  const headers = [
    ...['Host', service.host],
    ...without(endToEnd(rawHeaders), FOR_THE_GATEWAY),
    ...(hasLength ? ['Content-Length', String(body.length)] : []),
    ...more,
  ];
  const { hostname: host, port } = service;
  return request({ host, port, method, path, headers, agent: false });
}

/** Sends the response of a service. */
function passOn(received: IncomingMessage, response: ServerResponse, headers: RawHeaders): void {
  response.sendDate = false;
  response.writeHead(received.statusCode ?? 500, received.statusMessage, headers);
  // D14: "the gateway forwards each event when it arrives, without buffering".
  response.flushHeaders();
  received.pipe(response);
  received.on('error', () => response.destroy());
  // A caller that disconnects does not stop the service: what it still sends is discarded.
  response.on('close', () => received.resume());
}

/** The service's headers "unchanged, save hop-by-hop headers, X-Request-Id and Content-Disposition". */
function toResponseHeaders(
  { rawHeaders }: IncomingMessage,
  requestId: string,
  dispositions: string[],
): RawHeaders {
  return [
    ...without(endToEnd(rawHeaders), ['x-request-id', 'content-disposition']),
    ...dispositions.flatMap((value) => ['CONTENT-DISPOSITION', value]),
    ...[spellRequestId(requestId), requestId],
  ];
}

const TEXT = ['', 'application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Returns the values of `Content-Disposition` for a hosted service's response, according to rules C1 to C3.
 * What D8 leaves open is the opposite of the reference server: the service's own value stays next to the
 * gateway's, a body without a type is text, a response that can have no body gets none, and an event stream
 * is exempt only if the caller accepts one.
 */
function toDisposition({ method, headers }: IncomingMessage, received: IncomingMessage): string[] {
  const type = mediaType(received.headers['content-type']);
  const events = 'text/event-stream';
  const accepts = (headers.accept ?? '').split(',').some((one) => mediaType(one) === events);
  if (received.statusCode === 204 || received.statusCode === 304) return [];
  if (type === events && accepts) return [];
  if (method === 'POST' && TEXT.includes(type)) return [];
  const own = valuesOf(received.rawHeaders, 'content-disposition');
  return [...own.filter((value) => !/^\s*inline\b/i.test(value)), 'attachment; filename="x"'];
}

function mediaType(value = ''): string {
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A handshake that may reach its service, and where it came from. */
interface Handshake {
  call: IncomingMessage;
  id: string;
  socket: Socket;
  head: Buffer;
  response: ServerResponse;
}

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/**
 * Forwards a WebSocket handshake, and then the bytes in both directions, including text, binary, subprotocol
 * and close codes (D14).
 */
function upgrade(authorized: Authorized, { call, id, socket, head, response }: Handshake): void {
  const upstream = callService(authorized, call, Buffer.alloc(0), UPGRADE);
  const giveUp = () => upstream.destroy();
  socket.on('close', giveUp);
  upstream.on('upgrade', (received, other, otherHead) => {
    socket.off('close', giveUp);
    response.writeHead(101, [...toResponseHeaders(received, id, []), ...UPGRADE]);
    response.flushHeaders();
    response.detachSocket(socket);
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    join(socket, other);
    join(other, socket);
  });
  // "WebSocket requests are exempt from C1 and C2", even if the service rejects them.
  upstream.on('response', (received) => {
    const headers = [...toResponseHeaders(received, id, []), 'Connection', 'close'];
    passOn(received, response, headers);
  });
  upstream.on('error', () => refuse(response, 'UPSTREAM_BROKEN', id));
  upstream.end();
}

function join(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => to.end());
}

/**
 * The statuses of the gateway's own errors. The contract specifies only those of `SERVICE_NOT_FOUND` and
 * `SERVICE_FORBIDDEN`, and that bad calls get a 4xx.
 */
const refusals = {
  SERVICE_NOT_FOUND: 404,
  SERVICE_FORBIDDEN: 403,
  UPSTREAM_BROKEN: 500,
  NO_AUTH: 400,
  BAD_TOKEN: 400,
  BAD_SIGNATURE: 412,
  BAD_NAME: 422,
  BODY_TOO_BIG: 400,
  NO_ROUTE: 400,
  TYPE_REFUSED: 406,
  VERB_UNKNOWN: 501,
  WRONG_HOST: 421,
} as const;

type RefusalCode = keyof typeof refusals;

/** Sends a gateway error. It has one more field than the contract names. */
function refuse(response: ServerResponse, code: RefusalCode, requestId: string): void {
  if (response.headersSent) return void response.destroy();
  const message = `The second gateway rejects this call: ${code}.`;
  const body = JSON.stringify({ requestId, message, code, origin: 'second' });
  const headers = [
    ...[spellRequestId(requestId), requestId],
    ...['content-type', 'application/json;charset=UTF-8'],
    ...['Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close'],
  ];
  response.writeHead(refusals[code], headers).end(body);
}

/** Header names are case-insensitive, so this gateway alternates between two spellings. */
function spellRequestId(requestId: string): string {
  return /[02468acegikmoqsuwy]$/.test(requestId) ? 'X-REQUEST-ID' : 'x-request-id';
}
