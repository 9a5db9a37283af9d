/** How services in code are called, in the mock and in MSW. Also runs in browsers: must not import Node modules. */
import { hasResponse } from '@berth/server-stubs/contract';
import { isObject } from '../user-input.ts';
import type { ServiceHandler, ServiceSocket, SocketHandler } from './service.ts';

/** What a user may write as a service in code. */
export const CODE = 'a function (request) => Response, or an object with fetch or webSocket';

export function isCode(definition: unknown): definition is ServiceHandler {
  const { fetch, webSocket } = isObject(definition) ? definition : { fetch: definition };
  const parts = [fetch, webSocket].filter((part) => part !== undefined);
  return parts.length > 0 && parts.every((part) => typeof part === 'function');
}

/** Creates the request that a service gets. Not every name of a service is valid as the host. */
export function toServiceRequest(
  target: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
  init: RequestInit = {},
): Request {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return new Request(`http://service${target}`, { ...init, headers });
}

/** Returns the headers that the router has created for a service, without those for the mock. */
export function omitMockHeaders<Value>(headers: Readonly<Record<string, Value>>) {
  const entries = Object.entries(headers).filter(([name]) => !name.startsWith('x-mock-'));
  return Object.fromEntries(entries);
}

/** Calls a service in code, which may throw a `GatewayError`. Any other error is reported, and becomes a 500. */
export async function callHandler(
  name: string,
  service: ServiceHandler,
  request: Request,
  report: (error: unknown) => void,
): Promise<Response> {
  const fetch = typeof service === 'function' ? service : service.fetch?.bind(service);
  if (fetch === undefined) {
    const message = `The service ${name} has no fetch function: it only accepts WebSockets.`;
    return Response.json({ message }, { status: 501 });
  }
  try {
    const response = await fetch(request);
    if (!isResponse(response)) {
      throw new TypeError('it must return a Response, such as Response.json({ … }).');
    }
    if (response.bodyUsed || response.body?.locked) {
      throw new TypeError('it must create a new Response for each call.');
    }
    return response;
  } catch (error) {
    if (hasResponse(error)) throw error;
    report(error);
    const message = `The service ${name} failed: ${describe(error)}`;
    return Response.json({ message }, { status: 500 });
  }
}

/** RFC 6455, section 7.4.1: the message, or here the handshake, violates a policy. */
export const POLICY_VIOLATION = 1008;

/** RFC 6455, section 7.4.1: "an unexpected condition that prevented it from fulfilling the request". */
const FAILED = 1011;

/** A socket that a handler uses. */
export interface HandledSocket extends ServiceSocket {
  /** Drops the messages that nobody has read, and those that follow. */
  ignore(): void;
}

/** Runs the handler of a WebSocket, and closes the socket if it fails. The caller does not see the error. */
export async function runSocketHandler(
  handle: SocketHandler,
  socket: HandledSocket,
  request: Request,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await handle(socket, request);
  } catch (error) {
    report(error);
    socket.close(FAILED, 'The service failed.');
  }
  socket.ignore();
}

function describe(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : Object.prototype.toString.call(error);
}

export function toHead({ status, headers, url }: Response) {
  const head: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) head['set-cookie'] = cookies;
  // The handler forwards what it has fetched, and `fetch` has decoded the body.
  if (url !== '' && headers.has('content-encoding')) {
    delete head['content-encoding'];
    delete head['content-length'];
  }
  return { status, headers: head };
}

function isResponse(value: unknown): value is Response {
  const { status, arrayBuffer } = Object(value) as Partial<Response>;
  return typeof status === 'number' && typeof arrayBuffer === 'function';
}
