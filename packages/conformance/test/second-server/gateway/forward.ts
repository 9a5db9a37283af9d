import { type Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { limits } from '../choices.ts';
import { endToEnd, type RawHeaders, valuesOf, without } from '../http/listen.ts';
import type { Authorized } from './authorize.ts';
import { type RefusalCode, spellRequestId } from './refusals.ts';

/** Calls a hosted service and streams its response; calls `refuse` if there is none. */
export function forward(
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
export function toServiceHeaders(
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
export function toResponseHeaders(
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
