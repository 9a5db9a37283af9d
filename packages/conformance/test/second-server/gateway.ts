import { createServer, type IncomingMessage, request, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Choices, limits } from './choices.ts';
import { endToEnd, type RawHeaders, readBody, valuesOf, without } from './http.ts';
import { type KeyPair, verifySignature } from './verify-signature.ts';

/** What a gateway knows. */
interface GatewaySettings {
  env: string;
  /** Hosted services: name → URL. */
  services: Map<string, URL>;
  /** Names of services that nobody may call. */
  forbidden: Set<string>;
  /** Issued tokens: token → environment. */
  tokens: Map<string, { env: string; expires: number }>;
  keyPair: KeyPair;
  /** Whether `multipart/form-data` is accepted. */
  forms: Choices['forms'];
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
    const refuse = (code: RefusalCode) => {
      const { status, headers, body } = toRefusal(code, id);
      response.writeHead(status, headers).end(body);
    };
    const body = await readBody(call, limits.gatewayBodyBytes).catch(() => null);
    if (body === null) return;
    if (body === undefined) return refuse('BODY_TOO_BIG');
    const authorized = authorize(call, body, settings);
    if (typeof authorized === 'string') return refuse(authorized);
    const upstream = callService(authorized, call, body);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      upstream.destroy();
    }, limits.gatewayHeadMilliseconds);
    upstream.on('response', (received) => {
      clearTimeout(timer);
      const sent = toResponseHeaders(received, id, toDisposition(call, received));
      response.sendDate = false;
      response.writeHead(received.statusCode ?? 500, received.statusMessage, sent);
      // D14: "the gateway forwards each event when it arrives, without buffering".
      response.flushHeaders();
      received.pipe(response);
      received.on('error', () => response.destroy());
      // A caller that disconnects does not stop the service: what it still sends is discarded.
      response.on('close', () => received.resume());
    });
    upstream.on('error', () => {
      clearTimeout(timer);
      if (response.headersSent) response.destroy();
      else refuse(late ? 'SERVICE_TIMEOUT' : 'UPSTREAM_BROKEN');
    });
    upstream.end(body);
  });

  server.on('upgrade', (call, socket, head) => {
    const id = settings.nextRequestId();
    const refuse = (code: RefusalCode) => socket.end(toRefusalText(code, id));
    socket.on('error', () => socket.destroy());
    const authorized = authorize(call, Buffer.alloc(0), settings);
    if (typeof authorized === 'string') refuse(authorized);
    else upgrade(authorized, { call, id, socket, head }, refuse);
  });

  // X-Request-Id is on every gateway response (D9), even if the request is not HTTP.
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(toRefusalText('BAD_REQUEST', settings.nextRequestId()));
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
  if (settings.forbidden.has(name)) return 'SERVICE_FORBIDDEN';
  const service = settings.services.get(name);
  if (!service) return 'SERVICE_NOT_FOUND';
  // D13: "Other deployments may reject content types other than `application/json`." Forms can be signed
  // (D16), if they are accepted.
  const type = mediaType(headers['content-type']);
  const isForm = settings.forms === 'taken' && type === 'multipart/form-data';
  const isTaken = type === 'application/json' || isForm;
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
  if (owner?.env !== env || owner.expires <= Date.now()) return 'BAD_TOKEN';
  return undefined;
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

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/**
 * Forwards a WebSocket handshake, and then the bytes in both directions, including text, binary, subprotocol
 * and close codes (D14).
 */
function upgrade(
  authorized: Authorized,
  { call, id, socket, head }: { call: IncomingMessage; id: string; socket: Duplex; head: Buffer },
  refuse: (code: RefusalCode) => void,
): void {
  const upstream = callService(authorized, call, Buffer.alloc(0), UPGRADE);
  const giveUp = () => upstream.destroy();
  socket.on('close', giveUp);
  upstream.on('upgrade', (response, other, otherHead) => {
    socket.off('close', giveUp);
    const sent = [...toResponseHeaders(response, id, []), ...UPGRADE];
    socket.write(toHead(response, sent), 'latin1');
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    join(socket, other);
    join(other, socket);
  });
  // "WebSocket requests are exempt from C1 and C2", even if the service rejects them.
  upstream.on('response', (response) => {
    const sent = [...toResponseHeaders(response, id, []), 'Connection', 'close'];
    socket.write(toHead(response, sent), 'latin1');
    response.pipe(socket);
    response.on('error', () => socket.destroy());
  });
  upstream.on('error', () => refuse('UPSTREAM_BROKEN'));
  upstream.end();
}

function join(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => to.end());
}

function toHead(
  { statusCode = 0, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  headers: RawHeaders,
): string {
  const first = `HTTP/1.1 ${statusCode} ${statusMessage || STATUS_CODES[statusCode]}\r\n`;
  const lines = headers.flatMap((name, at) => (at % 2 ? [] : `${name}: ${headers[at + 1]}\r\n`));
  return `${first}${lines.join('')}\r\n`;
}

/**
 * The gateway's own errors. The contract specifies only the codes and statuses of `SERVICE_NOT_FOUND` and
 * `SERVICE_FORBIDDEN`, and that bad calls get a 4xx.
 */
const refusals = {
  SERVICE_NOT_FOUND: { status: 404, message: 'Nobody deployed a service of this name.' },
  SERVICE_FORBIDDEN: { status: 403, message: 'This service is closed to you.' },
  SERVICE_TIMEOUT: { status: 500, message: 'The service is too slow.' },
  UPSTREAM_BROKEN: { status: 500, message: 'The service hung up.' },
  NO_AUTH: { status: 400, message: 'Who are you?' },
  BAD_TOKEN: { status: 400, message: 'This token opens nothing here.' },
  BAD_SIGNATURE: { status: 412, message: 'The signature does not fit the call.' },
  BAD_NAME: { status: 422, message: 'No service can have this name.' },
  BAD_REQUEST: { status: 400, message: 'This is not HTTP.' },
  BODY_TOO_BIG: { status: 400, message: 'The body is too big.' },
  NO_ROUTE: { status: 400, message: 'There is nothing at this path.' },
  TYPE_REFUSED: { status: 406, message: 'Bodies are application/json here.' },
  VERB_UNKNOWN: { status: 501, message: 'Only GET and POST are known here.' },
  WRONG_HOST: { status: 421, message: 'This host name belongs to another environment.' },
} as const;

type RefusalCode = keyof typeof refusals;

/** Creates a gateway error. It has one more field than the contract names. */
function toRefusal(code: RefusalCode, requestId: string) {
  const { status, message } = refusals[code];
  const body = JSON.stringify({ requestId, message, code, origin: 'second' });
  const headers = [
    ...[spellRequestId(requestId), requestId],
    ...['content-type', 'application/json;charset=UTF-8'],
    ...['Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close'],
  ];
  return { status, headers, body };
}

/** Same as bytes, for a connection that has no response object. */
function toRefusalText(code: RefusalCode, requestId: string): string {
  const { status, headers, body } = toRefusal(code, requestId);
  return toHead({ statusCode: status }, headers) + body;
}

/** Header names are case-insensitive, so this gateway alternates between two spellings. */
function spellRequestId(requestId: string): string {
  return /[02468acegikmoqsuwy]$/.test(requestId) ? 'X-REQUEST-ID' : 'x-request-id';
}
