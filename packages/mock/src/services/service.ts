/** Hosted services, and how those in code are called, in the mock and in MSW. Pages import it, so it needs no Node modules. */
import { GatewayError, hasResponse } from '@berth/server-stubs/contract';
import { closest, distance } from 'fastest-levenshtein';

/**
 * Responds to the calls of a hosted service. The URL of the request has the path and query of the service, and its
 * headers have no credentials.
 */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** The service's side of a WebSocket. Iterate over it to receive messages until the caller disconnects. */
export interface ServiceSocket extends AsyncIterable<string | Uint8Array> {
  /** Subprotocol; empty if there is none. */
  readonly protocol: string;
  /** Resolves when the next message may be sent, or when the caller has disconnected. */
  send(message: string | Uint8Array): Promise<void>;
  close(code?: number, reason?: string): void;
}

/** Handles a WebSocket. When the function returns, the socket stays open and silent. */
export type SocketHandler = (socket: ServiceSocket, request: Request) => unknown;

/** A hosted service in code: a function, or an object with one or both of these, such as a Hono application. */
export type ServiceHandler =
  | FetchHandler
  | { readonly fetch?: FetchHandler; readonly webSocket?: SocketHandler };

type OpenApiDocument = Readonly<Record<string, unknown>> &
  ({ readonly openapi: string } | { readonly swagger: string });

/** A hosted service: code, an OpenAPI document (an object, or the path of a file), or the URL of a real service. */
type HostedService = ServiceHandler | string | URL | OpenApiDocument;

/** Hosted services by name. */
export type HostedServices = Readonly<Record<string, HostedService>>;

/** The contract's pattern for names of hosted services. */
const NAME = /^[A-Za-z][\w-]{0,58}[A-Za-z\d]$/;

/** Returns what is wrong with a service name, as the rest of a sentence; undefined if it is valid. */
export function findNameProblem(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : 'is not a valid service name: it must begin with a letter, end with a letter or digit, and have 2 to 60 letters, digits, _ and -.';
}

export function unknownService(name: string, names: readonly string[]): GatewayError {
  const key = name.includes('-') ? `'${name}'` : name;
  const example = `${key}: () => Response.json({})`;
  const message = `The hosted service ${name} does not exist: add it with --services or the services option, such as ${example}.${suggest(name, names)}`;
  return new GatewayError('SERVICE_NOT_FOUND', { message });
}

/** Returns a sentence, after a space, with the service that the caller may have meant; empty if there are no services. */
export function suggest(name: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const similar = closest(name, names);
  const isSimilar = distance(name, similar) < name.length / 2;
  return isSimilar ? ` Did you mean ${similar}?` : ` The services: ${names.join(', ')}.`;
}

/** Calls a service in code, which may throw a `GatewayError`. Any other error is reported, and becomes a response with the status 500. */
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
      throw new TypeError('return a Response, such as Response.json({ … }).');
    }
    if (response.bodyUsed || response.body?.locked)
      throw new TypeError('create a new Response for each call.');
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

/** Runs the handler of a WebSocket, and closes the socket if it fails. The caller does not see the error. */
export async function runSocketHandler(
  handle: SocketHandler,
  socket: ServiceSocket,
  request: Request,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await handle(socket, request);
  } catch (error) {
    report(error);
    socket.close(FAILED, 'The function failed.');
  }
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
