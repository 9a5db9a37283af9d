import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Duplex, pipeline } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { toServiceHeaders } from './prepare-route.ts';
import type { MockedResponse, RouteContext } from './services.ts';
import type { Opened } from './web-socket.ts';

/**
 * Forwards a call to a real service and streams both bodies. If the caller disconnects, the call is aborted.
 *
 * @throws GatewayError SERVICE_TIMEOUT, SERVICE_LB_STATUS_ABNORMAL, BAD_GATEWAY
 */
export async function callProxy(base: URL, context: RouteContext): Promise<MockedResponse> {
  const { input, call } = context;
  const request = toRequest(base, context);
  const received = awaitResponse(request, base, call.signal);
  if (input.body === undefined) request.end();
  else pipeline(input.body, request, () => {});
  const { response } = await received;
  return toReply(response);
}

/** D13: "If a service does not send its response headers within 60 s, the call fails with `SERVICE_TIMEOUT`." */
const TIMEOUT_MILLISECONDS = 60_000;

const SWITCHING_PROTOCOLS = 101;

/** A real service's response: its head, and its connection after a protocol switch. */
interface Received {
  readonly response: IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer };
}

/**
 * Waits for a response head.
 *
 * @param protocol to switch to; undefined for none
 * @throws GatewayError SERVICE_TIMEOUT, SERVICE_LB_STATUS_ABNORMAL, BAD_GATEWAY
 */
function awaitResponse(
  request: ClientRequest,
  base: URL,
  signal: AbortSignal,
  protocol?: string,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      request.destroy(new GatewayError('SERVICE_TIMEOUT'));
    }, TIMEOUT_MILLISECONDS);
    const settle = (received: Received) => {
      clearTimeout(timer);
      resolve(received);
    };
    const fail = (error: Error) => {
      clearTimeout(timer);
      if (signal.aborted || error instanceof GatewayError) reject(error);
      else reject(toError(error, base));
    };
    request.on('error', fail);
    request.once('response', (response) => {
      if (response.statusCode !== SWITCHING_PROTOCOLS) settle({ response });
      else request.destroy(new Error('101 without a protocol'));
    });
    request.once('upgrade', (response, socket, head) => {
      const { upgrade = '' } = response.headers;
      if (upgrade.toLowerCase() === protocol) settle({ response, upgraded: { socket, head } });
      else {
        socket.destroy();
        fail(new Error(`an upgrade to ${upgrade} that was not requested`));
      }
    });
  });
}

const OUT_OF_REACH = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
]);

function toError(error: NodeJS.ErrnoException, { origin }: URL): GatewayError {
  const { code = '', message } = error;
  return OUT_OF_REACH.has(code)
    ? new GatewayError('SERVICE_LB_STATUS_ABNORMAL', {
        message: `The real service ${origin} cannot be reached: ${code}.`,
        cause: error,
      })
    : new GatewayError('BAD_GATEWAY', {
        message: `The real service ${origin} did not send a valid response: ${message || code}.`,
        cause: error,
      });
}

/** Converts a real service's response, including repeated headers. */
function toReply(response: IncomingMessage) {
  return {
    status: response.statusCode ?? 0,
    headers: response.headersDistinct,
    body: response,
  } satisfies MockedResponse;
}

type Headers = Readonly<Record<string, string | string[]>>;

/** Sends a call to a real service: appends path and query unchanged to the path of `base`. */
function toRequest(base: URL, { input, call }: RouteContext, further: Headers = {}): ClientRequest {
  const { request } = call;
  const { host: _host, ...headers } = toServiceHeaders(input);
  const send = base.protocol === 'https:' ? requestHttps : requestHttp;
  return send({
    protocol: base.protocol,
    // The brackets of an IPv6 address are only URL syntax.
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    path: base.pathname.replace(/\/$/, '') + input.target,
    method: input.method,
    agent: false,
    signal: call.signal,
    headers: {
      ...headers,
      'x-forwarded-for': request.socket.remoteAddress ?? 'unknown',
      'x-forwarded-proto': 'http',
      ...(request.headers.host !== undefined && { 'x-forwarded-host': request.headers.host }),
      ...further,
    },
  });
}

const PROTOCOL = 'websocket';

const UPGRADE = { connection: 'Upgrade', upgrade: PROTOCOL };

/**
 * Opens a WebSocket to a real service and forwards frames as bytes in both directions. Any other response
 * means that the service rejects the WebSocket.
 */
export async function openProxy(base: URL, context: RouteContext): Promise<Opened> {
  const { call } = context;
  const request = toRequest(base, context, UPGRADE);
  const received = awaitResponse(request, base, call.signal, PROTOCOL);
  request.end();
  const { response, upgraded } = await received;
  if (upgraded === undefined) return toReply(response);
  const { socket: service, head } = upgraded;
  // If the caller disconnects before the 101 is written, nobody uses the connection.
  const leave = () => service.destroy();
  call.response.once('close', leave);
  return {
    status: 101,
    headers: response.headersDistinct,
    open(caller, sent) {
      call.response.off('close', leave);
      if (head.length > 0) service.unshift(head);
      if (sent.length > 0) caller.unshift(sent);
      joinSockets(caller, service);
    },
  };
}

/** Connects two sockets in both directions, with backpressure. If either socket fails, both are closed. */
function joinSockets(one: Duplex, other: Duplex): void {
  pass(one, other);
  pass(other, one);
}

function pass(from: Duplex, to: Duplex): void {
  from.on('error', () => to.destroy());
  from.once('close', () => (from.readableEnded ? to.end() : to.destroy()));
  from.pipe(to);
}
