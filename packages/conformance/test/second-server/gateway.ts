import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { limits, Refusal, readBody } from './common.ts';
import { isSame, readParts, toSignature } from './signature.ts';

interface GatewaySettings {
  env: string;
  /** Hosted services: name → URL. */
  services: Record<string, string>;
  forbidden: string;
  /** Issued tokens: token → environment. */
  tokens: Record<string, { env: string; expires: number }>;
  tc3: Tc3;
}

type Tc3 = Record<'secretId' | 'secretKey' | 'service', string>;

/** Raw headers as in `node:http`: name, value, name, value, … */
type RawHeaders = string[];

const EMPTY = Buffer.alloc(0);

/** The gateway: `/v1/cloudrun/{name}/{anyPath}` of one environment. */
export function createGateway(settings: GatewaySettings): Server {
  let calls = 0;
  // Request IDs are no UUIDs: `2nd-0`, `2nd-1`, … `2nd-z`, `2nd-10`, …
  const nextId = () => `2nd-${(calls++).toString(36)}`;
  const shouldUpgradeCallback = ({ method, headers }: IncomingMessage) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  const options = { requireHostHeader: false, shouldUpgradeCallback };
  const server = createServer(options, async (call, response) => {
    const id = nextId();
    try {
      const tooBig = new Refusal(400, 'BODY_TOO_BIG');
      const body = await readBody(call, limits.bodyBytes, tooBig);
      const upstream = callService(authorize(call, body, settings), call, body).end(body);
      const [received] = (await once(upstream, 'response')) as [IncomingMessage];
      passOn(received, response, toResponseHeaders(received, id, toDispositions(call, received)));
    } catch (error) {
      refuse(response, error, id);
    }
  });
  server.on('upgrade', (call, socket: Socket, head) => {
    const id = nextId();
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(call);
    response.assignSocket(socket);
    response.on('finish', () => socket.end());
    try {
      const upstream = callService(authorize(call, EMPTY, settings), call, EMPTY, UPGRADE);
      upgrade(upstream.end(), response, socket, head, id);
    } catch (error) {
      refuse(response, error, id);
    }
  });
  return server;
}

/** `anyPath` is optional, and what follows the name is forwarded unchanged (D3), including `.` and `..`. */
const TARGET = /^\/v1\/cloudrun\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

/** "Starts with a letter, then 0 to 58 characters from …, then ends with a letter or digit." */
const SERVICE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/;

/**
 * Finds the hosted service for a call, and the path and query for it, byte for byte. The contract specifies only the
 * statuses of `SERVICE_NOT_FOUND` and `SERVICE_FORBIDDEN`, and that bad calls get a 4xx.
 */
function authorize(call: IncomingMessage, body: Buffer, settings: GatewaySettings) {
  const { method = '', url = '', headers } = call;
  if (method !== 'GET' && method !== 'POST') throw new Refusal(501, 'VERB_UNKNOWN');
  const [target, name = '', path = '/', query = ''] = TARGET.exec(url) ?? [];
  if (target === undefined) throw new Refusal(400, 'NO_ROUTE');
  // The first label of the host name selects the environment (D12).
  const [env] = headers.host?.toLowerCase().split('.') ?? [];
  if (env !== settings.env) throw new Refusal(421, 'WRONG_HOST');
  checkCredentials(call, body, settings);
  if (!SERVICE_NAME.test(name)) throw new Refusal(422, 'BAD_NAME');
  if (name === settings.forbidden) throw new Refusal(403, 'SERVICE_FORBIDDEN');
  const service = settings.services[name];
  if (service === undefined) throw new Refusal(404, 'SERVICE_NOT_FOUND');
  // D13: a deployment may reject types other than JSON. Forms can be signed (D16).
  const type = mediaType(headers['content-type']);
  const isAllowedType = type === 'application/json' || type === 'multipart/form-data';
  if (method === 'POST' && body.length > 0 && !isAllowedType)
    throw new Refusal(406, 'TYPE_REFUSED');
  return { service: new URL(service), path: path + query };
}

/** Either of the two schemes is sufficient (D15). */
function checkCredentials(call: IncomingMessage, body: Buffer, settings: GatewaySettings): void {
  const value = call.headers.authorization?.trim();
  if (!value) throw new Refusal(400, 'NO_AUTH');
  if (value.startsWith('TC3-HMAC-SHA256')) {
    if (!isSigned(call, value, body, settings.tc3)) throw new Refusal(412, 'BAD_SIGNATURE');
    return;
  }
  const [, token = ''] = /^bearer +(\S+)$/i.exec(value) ?? [];
  const owner = settings.tokens[token];
  // A token is valid only for its own environment (D15).
  if (owner?.env !== settings.env || owner.expires < Date.now())
    throw new Refusal(400, 'BAD_TOKEN');
}

/** Returns whether an `Authorization` is a signature version 3 of the call (D16). */
function isSigned(call: IncomingMessage, value: string, body: Buffer, tc3: Tc3): boolean {
  const { method = '', url = '', headers, rawHeaders } = call;
  const parts = readParts(value) ?? {};
  const { Credential = '', SignedHeaders = '', Signature = '', Timestamp = '' } = parts;
  const [id, date = '', service = '', ...end] = Credential.split('/');
  if (id !== tc3.secretId || service !== tc3.service || end.join() !== 'tc3_request') return false;
  const seconds = /^\d{1,12}$/.test(Timestamp) ? Number(Timestamp) : 0;
  if (Math.abs(Date.now() / 1000 - seconds) > limits.signatureSeconds) return false;
  if (new Date(seconds * 1000).toISOString().slice(0, 10) !== date) return false;
  const names = SignedHeaders.toLowerCase().split(';').sort();
  const values = names.map((name) => valuesOf(rawHeaders, name));
  if (!names.includes('host') || values.some(({ length }) => length === 0)) return false;
  // As sent; that of a form also without its boundary (D16).
  const sent = headers['content-type'] ?? '';
  const isForm = /^multipart\/form-data\s*;/i.test(sent);
  return [sent, ...(isForm ? [sent.slice(0, sent.indexOf(';'))] : [])].some((contentType) => {
    const signed = names.map((name, index) => {
      const text = values[index]?.join(',').trim() ?? '';
      return [name, name === 'content-type' ? contentType.trim() : toLowerCase(text)] as const;
    });
    const [path = '', query = ''] = url.split(/\?(.*)/s);
    const expected = { method, path, query, headers: signed, body };
    const scope = { date, service, timestamp: Timestamp };
    return isSame(Signature, toSignature(expected, scope, tc3.secretKey));
  });
}

/** ASCII letters only: `node:http` represents each byte of a header as one character. */
const toLowerCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** RFC 9110, section 7.6.1, plus `Trailer`, because trailers are not forwarded. */
const HOP_BY_HOP =
  'connection proxy-connection keep-alive te transfer-encoding upgrade trailer'.split(' ');

const valuesOf = (raw: RawHeaders, name: string) =>
  raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);

/** Returns the headers in order, without those that end here: hop by hop, named by `Connection`, or in this list. */
function endToEnd(raw: RawHeaders, dropped: readonly string[]): RawHeaders {
  const named = valuesOf(raw, 'connection').flatMap((value) =>
    value.toLowerCase().split(/\s*,\s*/),
  );
  const names = new Set([...HOP_BY_HOP, ...named, ...dropped]);
  return raw.filter((_, at) => !names.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

/** What the gateway consumes itself: credentials are not meant for the service, and `Expect` is handled. */
const FOR_THE_GATEWAY = ['host', 'authorization', 'expect', 'content-length'];

/** The gateway's request ID is not among the headers that a hosted service receives. */
function callService(
  { service, path }: ReturnType<typeof authorize>,
  { method, rawHeaders }: IncomingMessage,
  body: Buffer,
  more: RawHeaders = [],
) {
  const hasLength = method === 'POST' || body.length > 0;
  const headers = [
    'Host',
    service.host,
    ...endToEnd(rawHeaders, FOR_THE_GATEWAY),
    ...(hasLength ? ['Content-Length', String(body.length)] : []),
    ...more,
  ];
  const { hostname: host, port } = service;
  return request({ host, port, method, path, headers, agent: false });
}

function passOn(received: IncomingMessage, response: ServerResponse, headers: RawHeaders): void {
  response.sendDate = false;
  response.writeHead(received.statusCode ?? 500, received.statusMessage, headers);
  // D14: each event is forwarded as soon as it arrives.
  response.flushHeaders();
  received.pipe(response);
  received.on('error', () => response.destroy());
  // A caller that disconnects does not stop the service: what it still sends is discarded.
  response.on('close', () => received.resume());
}

/** The service's headers, except for hop-by-hop headers, `X-Request-Id` and `Content-Disposition` (D7). */
const toResponseHeaders = ({ rawHeaders }: IncomingMessage, id: string, dispositions: string[]) => [
  ...endToEnd(rawHeaders, ['x-request-id', 'content-disposition']),
  ...dispositions.flatMap((value) => ['CONTENT-DISPOSITION', value]),
  spellRequestId(id),
  id,
];

const TEXT = ['', 'application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Returns the values of `Content-Disposition` for a hosted service's response, according to rules C1 to C3.
 * What D8 leaves open is the opposite of the reference server: the service's own value stays next to the
 * gateway's, a body without a type is text, a response that can have no body gets none, and an event stream
 * is exempt only if the caller accepts one.
 */
function toDispositions({ method, headers }: IncomingMessage, received: IncomingMessage): string[] {
  const { statusCode, rawHeaders } = received;
  const type = mediaType(received.headers['content-type']);
  const events = 'text/event-stream';
  const accepts = (headers.accept ?? '').split(',').some((one) => mediaType(one) === events);
  if (statusCode === 204 || statusCode === 304) return [];
  if ((type === events && accepts) || (method === 'POST' && TEXT.includes(type))) return [];
  const kept = valuesOf(rawHeaders, 'content-disposition');
  return [...kept.filter((one) => !/^\s*inline\b/i.test(one)), 'attachment; filename="x"'];
}

const mediaType = (value = '') => value.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const UPGRADE = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

/** Forwards a WebSocket handshake with its subprotocol, and then the bytes in both directions (D14). */
function upgrade(
  upstream: ClientRequest,
  response: ServerResponse,
  socket: Socket,
  head: Buffer,
  id: string,
): void {
  const giveUp = () => upstream.destroy();
  socket.on('close', giveUp);
  upstream.on('upgrade', (received, other: Socket, otherHead) => {
    socket.off('close', giveUp);
    response.writeHead(101, [...toResponseHeaders(received, id, []), ...UPGRADE]);
    response.flushHeaders();
    response.detachSocket(socket);
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    other.on('error', () => socket.destroy()).on('close', () => socket.end());
    socket.on('error', () => other.destroy()).on('close', () => other.end());
    socket.pipe(other).pipe(socket);
  });
  // D8: an upgrade is exempt, even if the service rejects it.
  upstream.on('response', (received) =>
    passOn(received, response, [...toResponseHeaders(received, id, []), 'Connection', 'close']),
  );
  upstream.on('error', (error) => refuse(response, error, id));
}

/** Sends a gateway error, 500 if the service failed. It has one more field than the contract names. */
function refuse(response: ServerResponse, error: unknown, requestId: string): void {
  if (response.headersSent) return void response.destroy();
  const { status, code } = error instanceof Refusal ? error : new Refusal(500, 'UPSTREAM_BROKEN');
  const message = `The second gateway rejects this call: ${code}.`;
  const headers = {
    [spellRequestId(requestId)]: requestId,
    'content-type': 'application/json;charset=UTF-8',
    Connection: 'close',
  };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ requestId, message, code, origin: 'second' }));
}

/** Header names are case-insensitive, so this gateway alternates between two spellings. */
const spellRequestId = (id: string) =>
  /[02468acegikmoqsuwy]$/.test(id) ? 'X-REQUEST-ID' : 'x-request-id';
