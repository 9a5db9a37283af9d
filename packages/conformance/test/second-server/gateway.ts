import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type Choices, limits } from './choices.ts';
import { endToEnd, type RawHeaders, readBody, valuesOf, without } from './http.ts';
import { type KeyPair, verifySignature } from './verify-signature.ts';

/** The gateway: `/v1/cloudrun/{name}/{anyPath}` of one environment. */
export function createGateway(settings: GatewaySettings): Server {
  const agent = new Agent({ keepAlive: false });
  const isWebSocket = ({ method, headers }: IncomingMessage) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  const options = { requireHostHeader: false, shouldUpgradeCallback: isWebSocket };

  const server = createServer(options, async (request, response) => {
    const id = settings.nextRequestId();
    const refuse = (code: RefusalCode) => {
      const { status, headers, body } = toRefusal(code, id);
      response.writeHead(status, headers).end(body);
    };
    const body = await readBody(request, limits.gatewayBodyBytes).catch(() => null);
    if (body === null) return;
    if (body === undefined) return refuse('BODY_TOO_BIG');
    const authorized = authorize(request, body, settings);
    if (typeof authorized === 'string') return refuse(authorized);
    forward(authorized, { request, body, id, agent }, response, refuse);
  });

  server.on('upgrade', (request, socket, head) => {
    const id = settings.nextRequestId();
    const refuse = (code: RefusalCode) => socket.end(toRefusalText(code, id));
    socket.on('error', () => socket.destroy());
    const authorized = authorize(request, Buffer.alloc(0), settings);
    if (typeof authorized === 'string') refuse(authorized);
    else upgrade(authorized, { request, id, socket, head }, refuse);
  });

  // X-Request-Id is on every gateway response (D9), even if the request is not HTTP.
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(toRefusalText('BAD_REQUEST', settings.nextRequestId()));
  });
  server.on('close', () => agent.destroy());
  return server;
}

interface Authorized {
  service: URL;
  path: string;
}

/** Finds the hosted service for a call, or why there is none. */
function authorize(
  request: IncomingMessage,
  body: Buffer,
  settings: GatewaySettings,
): Authorized | RefusalCode {
  const { method = '', url = '', headers } = request;
  if (method !== 'GET' && method !== 'POST') return 'VERB_UNKNOWN';
  const target = readTarget(url);
  if (!target) return 'NO_ROUTE';
  // "In the gateway it is the first label of the host name."
  if (headers.host?.split('.')[0]?.toLowerCase() !== settings.env) return 'WRONG_HOST';
  const refused = checkCredentials(request, body, settings);
  if (refused) return refused;
  if (!isServiceName(target.name)) return 'BAD_NAME';
  if (settings.forbidden.has(target.name)) return 'SERVICE_FORBIDDEN';
  const service = settings.services.get(target.name);
  if (!service) return 'SERVICE_NOT_FOUND';
  if (method === 'POST' && body.length > 0 && !isTakenType(headers['content-type'], settings)) {
    return 'TYPE_REFUSED';
  }
  return { service, path: target.path };
}

/**
 * "Nobody is failed for refusing others" (D13) than JSON. Forms can be signed (D16), if they are accepted.
 */
function isTakenType(contentType = '', { forms }: GatewaySettings): boolean {
  const [type = ''] = contentType.toLowerCase().split(';');
  const taken = ['application/json', ...(forms === 'taken' ? ['multipart/form-data'] : [])];
  return taken.includes(type.trim());
}

/** "Either of two alternative schemes, each one alone suffices." Returns why the call is rejected. */
function checkCredentials(
  request: IncomingMessage,
  body: Buffer,
  { env, tokens, keyPair }: GatewaySettings,
): RefusalCode | undefined {
  const value = request.headers.authorization?.trim();
  if (!value) return 'NO_AUTH';
  if (value.startsWith('TC3-HMAC-SHA256')) {
    return verifySignature(request, value, body, keyPair) ? undefined : 'BAD_SIGNATURE';
  }
  const [, token = ''] = /^bearer +(\S+)$/i.exec(value) ?? [];
  const owner = tokens.get(token);
  // "Token belongs to the environment."
  if (owner?.env !== env || owner.expires <= Date.now()) return 'BAD_TOKEN';
  return undefined;
}

interface Target {
  name: string;
  /** Returns path and query for the hosted service, byte for byte. */
  path: string;
}

const TARGET = /^\/v1\/cloudrun\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

/**
 * Splits the request target. "`anyPath` is optional", and what follows the name is forwarded unchanged
 * (D3), including `.` and `..`. Returns `undefined` for any other path.
 */
function readTarget(url: string): Target | undefined {
  const [whole, name = '', path = '/', query = ''] = TARGET.exec(url) ?? [];
  return whole === undefined ? undefined : { name, path: path + query };
}

/**
 * "Starts with a letter, then 0 to 58 characters from letters, digits, underscore, hyphen, then ends
 * with a letter or digit."
 */
function isServiceName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/.test(name);
}

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

/** Calls a hosted service and streams its response; calls `refuse` if there is none. */
function forward(
  { service, path }: Authorized,
  call: { request: IncomingMessage; body: Buffer; id: string; agent: Agent },
  response: ServerResponse,
  refuse: (code: RefusalCode) => void,
): void {
  const { method } = call.request;
  const headers = toServiceHeaders(call.request, service, call.body);
  const { hostname: host, port } = service;
  const upstream = request({ host, port, method, path, headers, agent: call.agent });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    upstream.destroy();
  }, limits.gatewayHeadMilliseconds);
  upstream.on('response', (received) => {
    clearTimeout(timer);
    const sent = toResponseHeaders(received, call.id, toDisposition(call.request, received));
    response.sendDate = false;
    response.writeHead(received.statusCode ?? 500, received.statusMessage, sent);
    // "SSE is passed on event by event, nothing buffered" (D14).
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
  upstream.end(call.body);
}

/** What the gateway consumes itself: credentials are not meant for the service, and `Expect` is handled. */
const FOR_THE_GATEWAY = ['host', 'authorization', 'expect', 'content-length'];

/** Returns the headers that a hosted service receives. The gateway's request ID is not among them. */
function toServiceHeaders(
  { rawHeaders, method }: IncomingMessage,
  { host }: URL,
  body: Buffer,
): RawHeaders {
  const length = method === 'POST' || body.length > 0;
  return [
    ...['Host', host],
    ...without(endToEnd(rawHeaders), FOR_THE_GATEWAY),
    ...(length ? ['Content-Length', String(body.length)] : []),
  ];
}

/** The service's headers "unchanged, save hop-by-hop headers, X-Request-Id and Content-Disposition". */
function toResponseHeaders(
  received: IncomingMessage,
  requestId: string,
  dispositions: string[],
): RawHeaders {
  return [
    ...without(endToEnd(received.rawHeaders), ['x-request-id', 'content-disposition']),
    ...dispositions.flatMap((value) => ['CONTENT-DISPOSITION', value]),
    ...[spellRequestId(requestId), requestId],
  ];
}

const TEXT = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Returns the values of `Content-Disposition` for a hosted service's response, according to rules C1 to C3.
 * What D8 leaves open is the opposite of the reference server: the service's own value stays next to the
 * gateway's, a body without a type is text, a response that can have no body gets none, and an event stream
 * is exempt only if the caller accepts one.
 */
function toDisposition(call: IncomingMessage, received: IncomingMessage): string[] {
  const type = mediaType(received.headers['content-type']);
  if (received.statusCode === 204 || received.statusCode === 304) return [];
  if (type === 'text/event-stream' && acceptsEvents(call)) return [];
  if (call.method === 'POST' && (type === '' || TEXT.includes(type))) return [];
  const own = valuesOf(received.rawHeaders, 'content-disposition');
  return [...own.filter((value) => !/^\s*inline\b/i.test(value)), 'attachment; filename="x"'];
}

function mediaType(value = ''): string {
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function acceptsEvents({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').split(',').some((one) => mediaType(one) === 'text/event-stream');
}

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/**
 * Forwards a WebSocket handshake, and then the bytes in both directions, including text, binary, subprotocol
 * and close codes (D14).
 */
function upgrade(
  { service, path }: Authorized,
  call: { request: IncomingMessage; id: string; socket: Duplex; head: Buffer },
  refuse: (code: RefusalCode) => void,
): void {
  const { socket } = call;
  const headers = [...toServiceHeaders(call.request, service, Buffer.alloc(0)), ...UPGRADE];
  const { hostname: host, port } = service;
  const upstream = request({ host, port, path, headers, agent: false });
  const giveUp = () => upstream.destroy();
  socket.on('close', giveUp);
  upstream.on('upgrade', (response, other, otherHead) => {
    socket.off('close', giveUp);
    const sent = toResponseHeaders(response, call.id, []);
    socket.write(toHead(response, [...sent, ...UPGRADE]), 'latin1');
    if (otherHead.length > 0) socket.write(otherHead);
    if (call.head.length > 0) other.write(call.head);
    join(socket, other);
  });
  // "WebSocket requests are exempt from C1 and C2", even if the service rejects them.
  upstream.on('response', (response) => {
    const sent = toResponseHeaders(response, call.id, []);
    socket.write(toHead(response, [...sent, 'Connection', 'close']), 'latin1');
    response.pipe(socket);
    response.on('error', () => socket.destroy());
  });
  upstream.on('error', () => refuse('UPSTREAM_BROKEN'));
  upstream.end();
}

function toHead(
  { statusCode = 0, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  headers: RawHeaders,
): string {
  const first = `HTTP/1.1 ${statusCode} ${statusMessage || STATUS_CODES[statusCode]}\r\n`;
  const lines = headers.flatMap((name, at) => (at % 2 ? [] : `${name}: ${headers[at + 1]}\r\n`));
  return `${first}${lines.join('')}\r\n`;
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.end());
  }
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

interface Refusal {
  status: number;
  headers: RawHeaders;
  body: string;
}

/** Creates a gateway error. It has one more field than the contract names. */
function toRefusal(code: RefusalCode, requestId: string): Refusal {
  const { status, message } = refusals[code];
  const body = JSON.stringify({ requestId, message, code, origin: 'second' });
  const headers = [
    ...[spellRequestId(requestId), requestId],
    ...['content-type', 'application/json;charset=UTF-8'],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['Connection', 'close'],
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
