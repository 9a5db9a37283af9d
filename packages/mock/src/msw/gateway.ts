import type { Call } from '@berth/server-stubs';
import {
  bodyTooLarge,
  GatewayError,
  gatewayRoutes,
  LIMITS,
  notAllowed,
  SIGNATURE,
  toCallerResponse,
} from '@berth/server-stubs/contract';
import { type WebSocketHandler, type WebSocketHandlerConnection, ws } from 'msw';
import type { FakeSocket } from '../services/fake-service.ts';
import { findNameFault } from '../services/routes.ts';
import { createPresentAuth } from '../surfaces/auth/auth.ts';
import { suggest } from '../util/values.ts';
import { type HostedService, REFUSED } from './services.ts';
import { escapePattern, type MswContext, report, type Surface } from './surface.ts';

/** What every path begins with: `/v1/cloudrun/`. */
const [{ path: TEMPLATE } = { path: '' }] = gatewayRoutes.routes;
const ROOT = TEMPLATE.slice(0, TEMPLATE.indexOf('{'));

const METHODS = ['GET', 'HEAD', 'POST'];

type Services = ReadonlyMap<string, HostedService>;

/** Creates the gateway. As on a server, services see neither credentials nor headers for the mock. */
export function createGateway(
  baseUrl: string,
  services: Services,
  { profile }: MswContext,
): Surface {
  const auth = createPresentAuth(profile).gateway;
  const upstreamStatus = profile.gatewayHeaders.upstreamStatus.toLowerCase();

  async function authenticate(call: Call): Promise<void> {
    const { authorization = '' } = call.request.headers;
    const login = { ...call, env: '' } as Parameters<typeof auth.bearerToken>[1];
    if (authorization === '') throw new GatewayError('MISSING_CREDENTIALS');
    const [, token] = /^Bearer +(.*)$/i.exec(authorization) ?? [];
    const isSigned = authorization.startsWith(`${SIGNATURE.algorithm} `);
    const caller =
      token === undefined
        ? isSigned && (await auth.signature(authorization, login))
        : await auth.bearerToken(token, login);
    if (!caller) throw new GatewayError('INVALID_CREDENTIALS');
  }

  return {
    name: 'gateway',
    baseUrl,
    path: `${escapePattern(ROOT)}.*`,
    subject: (call) => ({
      service: toTarget(call.rawPath).name,
      operationId: toOperationId(call),
    }),
    async respond(call, request, own) {
      if (!METHODS.includes(request.method)) {
        throw notAllowed(request.method, METHODS);
      }
      await authenticate(call);
      const { name } = toTarget(call.rawPath);
      const fault = findNameFault(name);
      if (fault !== undefined) {
        throw new GatewayError('INVALID_REQUEST', { message: `${name} ${fault}` });
      }
      const fetch = toFetch(services.get(name));
      if (fetch === undefined) throw unknownService(name, services);
      const response = await callService(name, fetch, await toServiceRequest(call, request));
      // A failed connection, which has no status.
      if (response.type === 'error') return response;
      const { status, body } = response;
      const headers = Object.fromEntries(response.headers);
      const given = { status, headers, ...(body !== null && { body }) };
      return toCallerResponse(given, call, own, upstreamStatus);
    },
  };
}

/** The name of the service and the rest of the path, as sent. */
function toTarget(rawPath: string): { name: string; rest: string } {
  const [name = '', ...segments] = rawPath.slice(ROOT.length).split('/');
  return { name, rest: `/${segments.join('/')}` };
}

function toOperationId({ rawPath, request }: Call): string | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const isRoot = toTarget(rawPath).rest === '/';
  const found = gatewayRoutes.routes.find(
    (route) => route.method === method && route.path.endsWith('{name}') === isRoot,
  );
  return found?.operationId;
}

function toFetch(service: HostedService | undefined) {
  return typeof service === 'function' ? service : service?.fetch?.bind(service);
}

function unknownService(name: string, services: Services): GatewayError {
  const names = [...services.keys()];
  const message = `The hosted service ${name} does not exist: add it to services.${suggest(name, names)}`;
  return new GatewayError('SERVICE_NOT_FOUND', { message });
}

async function toServiceRequest(call: Call, request: Request): Promise<Request> {
  const { name, rest } = toTarget(call.rawPath);
  const query = call.rawQuery === undefined ? '' : `?${call.rawQuery}`;
  const headers = new Headers(request.headers);
  for (const header of [...headers.keys()]) {
    if (header === 'authorization' || header.startsWith('x-mock-')) headers.delete(header);
  }
  // The service gets the request ID of the call (D9).
  headers.set('x-request-id', call.requestId);
  const { method, signal } = request;
  const body = method === 'POST' ? await request.arrayBuffer() : undefined;
  if (body !== undefined && body.byteLength > LIMITS.gatewayBodyBytes) {
    throw bodyTooLarge(LIMITS.gatewayBodyBytes);
  }
  const init = { method, headers, signal, ...(body?.byteLength && { body }) };
  return new Request(`http://${name}${rest}${query}`, init);
}

/** @throws GatewayError that the service throws; any other error is its response */
async function callService(
  name: string,
  fetch: (request: Request) => unknown,
  request: Request,
): Promise<Response> {
  try {
    const response = await fetch(request);
    if (isResponse(response)) return response;
    throw new TypeError('return a Response, such as Response.json({ … }).');
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    report(error);
    const message = `The service ${name} failed: ${error instanceof Error ? error.message : error}`;
    return Response.json({ message }, { status: 500 });
  }
}

/** Environments that imitate a page have a Response class of their own. */
function isResponse(value: unknown): value is Response {
  return typeof (value as Partial<Response> | undefined)?.arrayBuffer === 'function';
}

/** RFC 6455, section 7.4.1: "an unexpected condition". */
const FAILED = 1011;

/** Protocols that contain credentials (D14). */
const CREDENTIALS = 'berth.bearer.';

/** Creates the handler for the WebSockets of all services. MSW accepts each one before a service sees it. */
export function createSockets(gatewayUrl: string, services: Services): WebSocketHandler {
  const baseUrl = gatewayUrl.replace(/^http/, 'ws');
  const link = ws.link(new RegExp(`^${escapePattern(baseUrl + ROOT)}.*$`));
  return link.addEventListener('connection', ({ client, info }) => {
    const { name, rest } = toTarget(client.url.href.slice(baseUrl.length).replace(/[?#].*/, ''));
    const service = services.get(name);
    const open = typeof service === 'object' ? service.webSocket?.bind(service) : undefined;
    if (open === undefined) {
      client.close(REFUSED, `The service ${name} has no webSocket.`);
      return;
    }
    const request = new Request(`http://${name}${rest}${client.url.search}`);
    const offered = [info.protocols ?? []].flat();
    const protocol = offered.find((one) => !one.startsWith(CREDENTIALS)) ?? '';
    const run = async () => open(toSocket(client, protocol), request);
    run().catch((error) => {
      report(error);
      client.close(FAILED, 'The function failed.');
    });
  });
}

function toSocket(client: WebSocketHandlerConnection['client'], protocol: string): FakeSocket {
  const unread: unknown[] = [];
  let isClosed = false;
  let wake = () => {};
  client.addEventListener('message', ({ data }) => {
    unread.push(data);
    wake();
  });
  client.addEventListener('close', () => {
    isClosed = true;
    wake();
  });
  return {
    protocol,
    send: async (message) => client.send(message as string),
    close: (code, reason) => client.close(code, reason),
    async *[Symbol.asyncIterator]() {
      while (!isClosed || unread.length > 0) {
        if (unread.length > 0) yield await toMessage(unread.shift());
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

async function toMessage(data: unknown): Promise<string | Uint8Array> {
  if (typeof data === 'string') return data;
  return new Uint8Array(data instanceof Blob ? await data.arrayBuffer() : (data as ArrayBuffer));
}
