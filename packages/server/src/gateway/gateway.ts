import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import {
  type GatewayCall,
  GatewayError,
  type GatewayHandlers,
  type GatewayInput,
  type ServiceResponse,
  type WebSocketResponse,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { isWithheld, memoize, nominatedBy, toCanonicalName } from '@berth/server-stubs/contract';
import { hasBody } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { Config } from '../config/config.ts';
import { type InFlight, toAddress } from '../http/http.ts';
import type { Quotas } from '../quotas.ts';
import { ForwardedBody, readSignedBody } from './bodies.ts';
import { type ForwardedResponse, Forwarding, type ServiceRequest } from './proxy.ts';
import { createChooseTarget, type EndpointPool } from './targets.ts';

interface ReceivedCall {
  readonly input: GatewayInput;
  readonly call: GatewayCall<Caller>;
  readonly upgrade: 'websocket' | null;
}

interface Body {
  readonly body: ServiceRequest['body'];
  /** Value of `Content-Length`; undefined without a body, or if its length is unknown. */
  readonly length: string | undefined;
}

const NO_BODY: Body = { body: null, length: undefined };

/**
 * Creates the reverse proxy to hosted services. Requests and responses are streamed, except for signed bodies (D13).
 * Nothing is decoded in either direction (D3, D7).
 */
export function createGateway(
  { listen, environments, limits, wireProfile }: Config,
  { quotas, endpoints, inFlight }: { quotas: Quotas; endpoints: EndpointPool; inFlight: InFlight },
): GatewayHandlers<Caller> {
  const chooseTarget = createChooseTarget(environments, endpoints);
  const toServiceHeaders = createToServiceHeaders(wireProfile, listen.trustProxy);

  /** The router has already authenticated the caller (`auth/authenticator.ts`), except for the body of a signed call. */
  function handle(received: ReceivedCall): Promise<ForwardedResponse> {
    const { verifyBody } = received.call.caller;
    if (verifyBody === undefined) return countAndForward(received, withStreamedBody(received));
    return readSigned(received, verifyBody).then((body) => countAndForward(received, body));
  }

  /** Most calls wait for nothing here, and a promise for each would cost too much. */
  function countAndForward(received: ReceivedCall, body: Body): Promise<ForwardedResponse> {
    const retryAfter = quotas.count(received.call.env);
    if (!(retryAfter instanceof Promise)) return forward(received, body, retryAfter);
    return retryAfter.then((seconds) => forward(received, body, seconds));
  }

  function forward(
    { input, call, upgrade }: ReceivedCall,
    { body, length }: Body,
    retryAfter: number | undefined,
  ): Promise<ForwardedResponse> {
    if (retryAfter !== undefined) throw new GatewayError('EXCEED_RATELIMIT', { retryAfter });
    const { name, target: path, method } = input;
    const { env, caller, request, response, requestId } = call;
    const target = chooseTarget(env, name, caller.id);
    const headers = toServiceHeaders(request, requestId, upgrade);
    if (length !== undefined) headers.push('content-length', length);
    const headersTimeout = (target.headersSeconds ?? limits.gatewayHeadersSeconds) * 1000;
    const serviceRequest = { path, method, headers, body, upgrade, headersTimeout };
    return new Forwarding(serviceRequest, target, response).start();
  }

  /** Joins two sockets. Frames, with subprotocols, extensions, pings and close codes, pass as bytes (D14). */
  async function openWebSocket(
    received: ReceivedCall,
  ): Promise<WebSocketResponse | ServiceResponse> {
    const { call } = received;
    const response = await handle(received);
    if (!('socket' in response)) return response;
    const { status, headers, socket } = response;
    // If the caller disconnects before the 101 is written, nothing takes ownership of the socket.
    const destroySocket = () => socket.destroy();
    call.response.once('close', destroySocket);
    const open = (client: Duplex, head: Buffer) => {
      call.response.off('close', destroySocket);
      if (head.length > 0) client.unshift(head);
      inFlight.webSockets.add(client);
      client.once('close', () => inFlight.webSockets.delete(client));
      pipe(client, socket);
      pipe(socket, client);
    };
    return { status, headers, open };
  }

  return {
    call: (input, call) => handle({ input, call, upgrade: null }),
    webSocket: (input, call) => openWebSocket({ input, call, upgrade: 'websocket' }),
  };
}

/** Streams the body, if there is one. */
function withStreamedBody({ input, call: { request } }: ReceivedCall): Body {
  if (input.body === undefined || !hasBody(request)) return NO_BODY;
  return { body: new ForwardedBody(input.body), length: request.headers['content-length'] };
}

/** Reads the body, whose hash proves who the caller is. Without a body, the signature alone has proved it. */
async function readSigned(
  { input, call: { response } }: ReceivedCall,
  verifyBody: (hash: string) => void,
): Promise<Body> {
  const { hash, content, length, release } = await readSignedBody(input.body as Readable);
  if (response.destroyed) void release();
  else response.once('close', release);
  verifyBody(hash);
  return { body: content, length: String(length) };
}

/**
 * Pipes bytes in one direction, with backpressure. If the sender ends or fails, the receiver is ended or destroyed. Idle
 * connections stay open while both sides acknowledge the TCP probes of the server and undici.
 */
function pipe(from: Duplex, to: Duplex): void {
  from.on('error', () => {});
  from.once('close', () => {
    if (from.readableEnded && from.errored === null) to.end();
    else to.destroy();
  });
  from.pipe(to);
}

/** Headers that services get from this server instead, or not at all, in addition to those that stubs withhold. */
const NOT_FORWARDED = new Set([
  // The length is that of the body that is actually sent.
  'content-length',
  // RFC 7239: only X-Forwarded-* is maintained here, and the two could contradict each other.
  'forwarded',
  // A service gets its own host, for virtual hosts. The caller's is in X-Forwarded-Host.
  'host',
  // A service would trust it, and only the proxy in front of the gateway knows the address.
  'x-real-ip',
]);

/** Set here: a caller could pretend to be someone else. */
const FORWARDED = 'x-forwarded-';

/** RFC 6455, section 11.3.4: it belongs to a handshake. In any other call it could only carry a token (D14). */
const SUBPROTOCOLS = 'sec-websocket-protocol';

const NO_HEADERS: IncomingMessage['headers'] = {};

/**
 * Creates a function that returns the headers of the call to a service, as alternating names and values. The service
 * gets no credentials, because with them it could call other services or the storage API in the caller's name.
 *
 * @param trustProxy whether to continue the `X-Forwarded-*` headers that the proxy in front of the gateway has set
 */
export function createToServiceHeaders({ storageHeaders }: WireProfile, trustProxy: boolean) {
  const credentials = new Set(Object.values(storageHeaders).map(toCanonicalName));
  const ruleOf = memoize((name): 'forward' | 'withhold' | 'forward-in-handshake' => {
    const canonical = toCanonicalName(name);
    if (canonical === SUBPROTOCOLS) return 'forward-in-handshake';
    const isOwn = NOT_FORWARDED.has(canonical) || credentials.has(canonical);
    if (isOwn || isWithheld(canonical)) return 'withhold';
    return canonical.startsWith(FORWARDED) ? 'withhold' : 'forward';
  });
  return (request: IncomingMessage, requestId: string, upgrade: 'websocket' | null): string[] => {
    const { rawHeaders } = request;
    const nominated = nominatedBy(request.headers.connection);
    const headers: string[] = [];
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] as string;
      const rule = ruleOf(name);
      if (rule === 'withhold' || (rule !== 'forward' && upgrade === null)) continue;
      if (nominated?.has(name.toLowerCase())) continue;
      headers.push(name, rawHeaders[index + 1] as string);
    }
    headers.push('x-request-id', requestId);
    addForwarded(headers, request, trustProxy);
    return headers;
  };
}

function addForwarded(
  headers: string[],
  { headers: received, socket }: IncomingMessage,
  trustProxy: boolean,
): void {
  const address = toAddress(socket.remoteAddress) ?? 'unknown';
  const protocol = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  const trusted = trustProxy ? received : NO_HEADERS;
  // Node joins repeated ones, although the type allows a list. An empty one says nothing.
  const addresses = trusted['x-forwarded-for'] as string | undefined;
  headers.push(
    'x-forwarded-for',
    addresses ? `${addresses}, ${address}` : address,
    'x-forwarded-proto',
    (trusted['x-forwarded-proto'] as string | undefined) || protocol,
  );
  const host = (trusted['x-forwarded-host'] as string | undefined) || received.host;
  if (host !== undefined) headers.push('x-forwarded-host', host);
}
