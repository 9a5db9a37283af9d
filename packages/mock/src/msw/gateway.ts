import type { Call } from '@berth/server-stubs';
import {
  bodyTooLarge,
  decodeText,
  GatewayError,
  gatewayRoutes,
  HttpError,
  LIMITS,
  notAllowed,
  notFound,
  SIGNATURE,
  toCallerResponse,
  toServiceHeaders,
} from '@berth/server-stubs/contract';
import { type HttpHandler, type WebSocketHandler, type WebSocketHandlerConnection, ws } from 'msw';
import {
  callHandler,
  type HandledSocket,
  omitMockHeaders,
  POLICY_VIOLATION,
  runSocketHandler,
  toHead,
  toServiceRequest,
} from '../services/run-code.ts';
import { findNameProblem, type ServiceHandler, unknownService } from '../services/service.ts';
import { toSurfaceError } from '../surface.ts';
import { isPresent } from '../surfaces/auth.ts';
import { suggest } from '../user-input.ts';
import { type Deployment, escapePattern, handleSurface, report } from './handle-surface.ts';

type Services = ReadonlyMap<string, ServiceHandler>;

/** Common path prefix: `/v1/cloudrun/`. */
const [{ path: TEMPLATE } = { path: '' }] = gatewayRoutes.routes;
const ROOT = TEMPLATE.slice(0, TEMPLATE.indexOf('{'));

const METHODS = [...new Set(gatewayRoutes.routes.map(({ method }) => method)), 'HEAD', 'OPTIONS'];

export function handleGateway(deployment: Deployment, services: Services): HttpHandler {
  const upstreamStatus = deployment.profile.gatewayHeaders.upstreamStatus.toLowerCase();
  const path = `${escapePattern(ROOT)}.*`;
  return handleSurface('gateway', path, deployment, async (call, request) => {
    const { name, rest } = splitServicePath(call.rawPath);
    if (name === '') throw notFound(call.rawPath);
    if (!METHODS.includes(request.method)) throw notAllowed(request.method, METHODS);
    assertCredentials(call.request.headers.authorization);
    const problem = findNameProblem(name);
    if (problem !== undefined) {
      throw new GatewayError('INVALID_REQUEST', { message: `${name} ${problem}` });
    }
    const service = services.get(name);
    if (service === undefined) {
      throw unknownService(name, [...services.keys()], 'to the services option');
    }
    const forwarded = await toRequest(rest, call, request);
    const response = await callHandler(name, service, forwarded, (error) => report(error, call));
    // The service simulates a failed connection, which has no status.
    if (response.type === 'error') return response;
    const { body } = response;
    const content = body === null ? {} : { body };
    return toCallerResponse({ ...toHead(response), ...content }, call, upstreamStatus);
  });
}

const CREDENTIALS = `The Authorization header must be "Bearer <ACCESS_TOKEN>" or a ${SIGNATURE.algorithm} signature.`;

/** @throws HttpError */
function assertCredentials(authorization = ''): void {
  if (isPresent(authorization)) return;
  throw new HttpError(authorization === '' ? 'missing-credentials' : 'unauthorized', CREDENTIALS);
}

/** Returns the name of the service, decoded, and the rest of the path, as sent. */
function splitServicePath(rawPath: string): { name: string; rest: string } {
  const [segment = '', ...segments] = rawPath.slice(ROOT.length).split('/');
  return { name: decodeText(segment) ?? segment, rest: `/${segments.join('/')}` };
}

async function toRequest(path: string, call: Call, request: Request): Promise<Request> {
  const { method, signal } = request;
  const headers = omitMockHeaders(toServiceHeaders(call.request.headers, call.requestId));
  const bytes = method === 'POST' ? await request.arrayBuffer() : new ArrayBuffer(0);
  if (bytes.byteLength > LIMITS.gatewayBodyBytes) throw bodyTooLarge(LIMITS.gatewayBodyBytes);
  const query = call.rawQuery === undefined ? '' : `?${call.rawQuery}`;
  const body = bytes.byteLength > 0 ? bytes : null;
  return toServiceRequest(path + query, headers, { method, signal, body });
}

/** Prefix of subprotocols that contain credentials (D14). */
const BEARER = 'berth.bearer.';

/** RFC 6455, section 5.5: a control frame has at most 125 bytes, of which the code takes two. */
const MAX_CLOSE_REASON = 123;

/** Creates the handler for the WebSockets of all services. MSW accepts each one before a service sees it. */
export function handleSockets(deployment: Deployment, services: Services): WebSocketHandler {
  const baseUrl = deployment.baseUrl.replace(/^http/, 'ws');
  const link = ws.link(new RegExp(`^${escapePattern(baseUrl + ROOT)}.*$`));
  return link.addEventListener('connection', async ({ client, info }) => {
    const { href, search } = client.url;
    const close = (reason: string) =>
      client.close(POLICY_VIOLATION, reason.slice(0, MAX_CLOSE_REASON));
    const { protocol, authorization } = readHandshake(info.protocols);
    try {
      assertCredentials(authorization);
    } catch (error) {
      const { code } = toSurfaceError('gateway', error as HttpError);
      return close(`${code}: pass the token as the subprotocol ${BEARER}<token>.`);
    }
    const { name, rest } = splitServicePath(href.slice(baseUrl.length).replace(/[?#].*/, ''));
    const service = services.get(name);
    if (service === undefined) {
      return close(`SERVICE_NOT_FOUND.${suggest(name, [...services.keys()], 'services')}`);
    }
    if (typeof service !== 'object' || service.webSocket === undefined) {
      return close(`The service ${name} has no webSocket.`);
    }
    const request = toServiceRequest(rest + search, {});
    const socket = fromMswClient(client, protocol);
    await runSocketHandler(service.webSocket.bind(service), socket, request, report);
  });
}

/** @param init subprotocols, or in Node also an object with headers: what the client has passed to `WebSocket` */
function readHandshake(init: unknown) {
  const { protocols = init ?? [], headers } = Object(init);
  const offered: string[] = [protocols].flat();
  const token = offered.find((text) => text.startsWith(BEARER))?.slice(BEARER.length);
  const { authorization } = Object.fromEntries(new Headers(headers));
  return {
    protocol: offered.find((text) => !text.startsWith(BEARER)) ?? '',
    authorization: token === undefined ? authorization : `Bearer ${token}`,
  };
}

function fromMswClient(
  client: WebSocketHandlerConnection['client'],
  protocol: string,
): HandledSocket {
  const listening = new AbortController();
  const { signal } = listening;
  const messages = new ReadableStream<unknown>({
    start(controller) {
      client.addEventListener('message', ({ data }) => controller.enqueue(data), { signal });
      client.addEventListener('close', () => controller.close(), { signal });
    },
    cancel: () => listening.abort(),
  }).getReader();
  return {
    protocol,
    send: async (message) => client.send(message as string),
    close: (code, reason) => client.close(code, reason),
    ignore: () => void messages.cancel(),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { done, value } = await messages.read();
        if (done) return;
        const bytes = value instanceof Blob ? await value.arrayBuffer() : (value as ArrayBuffer);
        yield typeof value === 'string' ? value : new Uint8Array(bytes);
      }
    },
  };
}
