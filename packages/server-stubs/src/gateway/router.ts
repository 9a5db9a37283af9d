import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GatewayError } from '../errors.ts';
import { toServiceHeaders } from '../forwarding.ts';
import { LIMITS, SIGNATURE } from '../generated/contract.gen.ts';
import type { Input } from '../generated/gateway.v1/index.gen.ts';
import { routes } from '../generated/gateway.v1/routes.gen.ts';
import { type Router, type TableRouterOptions, toSafeOnError } from '../runtime/options.ts';
import type { Call, PrincipalsByScheme } from '../runtime/portable/call.ts';
import { HttpError } from '../runtime/portable/http-error.ts';
import type { ParsedInput } from '../runtime/portable/parameters.ts';
import { assertFunction, assertHandlerNames } from '../runtime/portable/user-input.ts';
import { hasBody } from '../runtime/receive.ts';
import { discard } from '../runtime/respond.ts';
import { createTableRouter } from '../runtime/router.ts';
import { UpgradeResponse } from '../runtime/upgrade-response.ts';
import { type ApiOptions, type AuthResult, createSurface, type SignedCaller } from '../surface.ts';
import { type EnvOption, findHostEnv } from './host.ts';
import { type ServiceResponse, toCallerResponse } from './service-response.ts';
import {
  assertHandshake,
  extractBearerProtocol,
  isWebSocket,
  toHandshakeHeaders,
  type WebSocketResponse,
} from './web-socket.ts';

const INVALID_CREDENTIALS = `The Authorization header must be "Bearer <token>", with a valid token, or a ${SIGNATURE.algorithm} signature.`;

/** Your gateway handlers. */
export interface GatewayHandlers<Caller = unknown> {
  /** Calls a hosted service, for all four operations. */
  readonly call: GatewayHandler<Caller>;
  /** Opens a WebSocket, if `upgrade` is attached to the server, or returns the response. Default: respond with 501. */
  readonly webSocket?: (
    input: GatewayInput,
    call: GatewayCall<Caller>,
  ) => WebSocketResponse | ServiceResponse | Promise<WebSocketResponse | ServiceResponse>;
}

/** Calls a hosted service and returns its response, or throws a `GatewayError`. */
export type GatewayHandler<Caller = unknown> = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => ServiceResponse | Promise<ServiceResponse>;

type PathInput = Input<'cloudrun-get'>['path'];

/** A call to a hosted service, ready to be forwarded. */
export interface GatewayInput {
  /** Name of the hosted service, which matches the contract's pattern. */
  readonly name: PathInput['name'];
  /** Request target for the service: `/`, `{anyPath}` and the query, byte for byte. */
  readonly target: string;
  /** `GET`, `HEAD` or `POST`. HEAD is handled like a GET whose response has no body. */
  readonly method: string;
  /** By lowercase name, without `authorization` and hop-by-hop headers (RFC 9110, 7.6.1), and with `x-request-id`. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Unparsed body of a POST. It fails if it exceeds the limit. */
  readonly body: Readable | undefined;
}

/** The context of a call to a hosted service. Reject credentials for any environment other than `env`. */
export type GatewayCall<Caller = unknown> = Call<PrincipalsByScheme, Caller>;

/**
 * The gateway's security handlers, one of which must authenticate a call. They return the caller that a credential
 * belongs to, or `undefined` to reject it, or throw a `GatewayError` with the reason.
 */
export interface GatewaySecurity<Caller = unknown> {
  /** Gets the access token, without `Bearer`. */
  readonly bearerToken: (token: string, call: GatewayCall) => AuthResult<Caller>;
  /** Gets the complete `Authorization` header, which starts with `TC3-HMAC-SHA256`. */
  readonly signature: (authorization: string, call: GatewayCall) => AuthResult<Caller>;
}

/** Options of `createGatewayRouter`. */
export interface GatewayRouterOptions<Caller = unknown> extends ApiOptions {
  readonly security: GatewaySecurity<Caller>;
  /** Environments that this gateway serves. Default: all. */
  readonly env?: EnvOption;
  /**
   * Who verifies the body of a signed call. Default: `router`, which reads it, up to `requests.streamBytes`.
   * With `handler`, yours must pass its hash to `caller.verifyBody` before it calls the service.
   */
  readonly signedBodies?: 'router' | 'handler';
}

/** A gateway router, with support for WebSockets. */
export interface GatewayRouter extends Router {
  /**
   * Listener for `server.on('upgrade', …)`. A WebSocket passes the same checks as any call. A browser may send its
   * token as the subprotocol `berth.bearer.<token>`.
   */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** For `toUpgradeOptions`: true for WebSockets only. */
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

/**
 * Creates the gateway for hosted services: middleware for Express 4 and 5, and a `node:http` listener. Your
 * handler calls the service; the router does the rest.
 *
 * @throws TypeError if a handler or security handler is missing, or an option is invalid
 *
 * @example
 * const call: GatewayHandler = async ({ name, target, method, headers, body }, { signal }) => {
 *   const address = addresses.get(name);
 *   if (address === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
 *   const response = await request(address + target, { method, headers, body, signal }); // undici
 *   return { status: response.statusCode, headers: response.headers, body: response.body };
 * };
 * app.use(createGatewayRouter({ call }, { env: 'dev', security: { bearerToken, signature } }));
 */
export function createGatewayRouter<Caller = unknown>(
  handlers: GatewayHandlers<Caller>,
  options: GatewayRouterOptions<Caller>,
): GatewayRouter {
  assertFunction(handlers.call, 'handlers.call');
  assertHandlerNames(handlers, ['call', 'webSocket']);
  assertFunction(options?.security?.bearerToken, 'options.security.bearerToken');
  assertFunction(options.security.signature, 'options.security.signature');
  const { security, env, signedBodies = 'router' } = options;
  if (signedBodies !== 'router' && signedBodies !== 'handler') {
    throw new TypeError('options.signedBodies must be router or handler.');
  }
  const { wireProfile, cors, shared } = createSurface(
    'gateway',
    options,
    { security: true, env: true, signedBodies: true },
    LIMITS.gatewayBodyBytes,
  );
  const onError = toSafeOnError(options.onError);
  const upstreamStatus = wireProfile.gatewayHeaders.upstreamStatus.toLowerCase();

  const settings: TableRouterOptions = {
    ...shared,
    findEnv: ({ request }) => findHostEnv(request, env),
    security: {
      bearerToken: (token, call) => security.bearerToken(token, call),
      signature(text, call) {
        if (text.split(' ', 1)[0] === SIGNATURE.algorithm) return security.signature(text, call);
        throw new GatewayError('INVALID_CREDENTIALS', { message: INVALID_CREDENTIALS });
      },
    },
  };

  async function callService(parsed: ParsedInput, call: GatewayCall<Caller>) {
    const input = toServiceInput(parsed, call);
    try {
      const verified = signedBodies === 'handler' ? input : await verifyBody(input, call.caller);
      return forward(await handlers.call(verified, call), call);
    } catch (error) {
      // If the body exceeded the limit (D13), that is why the handler failed.
      throw input.body?.errored instanceof HttpError ? input.body.errored : error;
    }
  }

  async function openSocket(parsed: ParsedInput, call: GatewayCall<Caller>) {
    const { request, requestId } = call;
    const input = toServiceInput(parsed, call);
    assertHandshake(request, cors.allows);
    if (handlers.webSocket === undefined) {
      const message = 'WebSockets are not supported here.';
      throw new GatewayError('SYS_ERR', { status: 501, message });
    }
    const result = await handlers.webSocket(input, call);
    if (!(result?.status === 101 && 'open' in result)) return forward(result, call);
    call.signal.throwIfAborted();
    const { headers, open } = result;
    const required = { 'x-request-id': requestId, [upstreamStatus]: '101' };
    if (headers === undefined) return { status: 101, open };
    return { status: 101, headers: toHandshakeHeaders(headers, request, required), open };
  }

  function forward(response: ServiceResponse, call: Call) {
    try {
      return toCallerResponse(response, call, upstreamStatus);
    } catch (error) {
      discard(Object(response).body);
      // The caller learns nothing about this bug in the handler, so it must be in the log.
      if (error instanceof GatewayError) onError(error.cause, call);
      throw error;
    }
  }

  const handle = (parsed: ParsedInput, call: GatewayCall<Caller>) =>
    call.isUpgrade ? openSocket(parsed, call) : callService(parsed, call);
  const operations = routes.routes.map(({ operationId }) => [operationId, handle]);
  const router = createTableRouter(routes, Object.fromEntries(operations), settings);

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const response = UpgradeResponse.create(request, socket, head);
    if (response === undefined) return;
    extractBearerProtocol(request);
    router(request, response);
  }
  return Object.assign(router, { upgrade, shouldUpgrade: isWebSocket });
}

/** @throws GatewayError INVALID_CREDENTIALS if the body was not signed */
async function verifyBody(input: GatewayInput, caller: unknown): Promise<GatewayInput> {
  const signer: Partial<SignedCaller> = Object(caller);
  if (input.body === undefined || signer.verifyBody === undefined) return input;
  const bytes = await buffer(input.body);
  signer.verifyBody(hash('sha256', bytes));
  return { ...input, body: Readable.from([bytes]) };
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Returns why a request must not reach a hosted service. D3: a segment that is `.` or `..` after one decoding is
 * `INVALID_REQUEST`, because a library along the way could resolve it. The same applies to a backslash, which URL
 * parsers turn into a slash (WHATWG URL, section 4.4). D13: "A GET with a body gets a 400."
 */
function findProblem({ request, rawPath }: Call): string | undefined {
  if (rawPath.includes('\\')) {
    return 'The path contains a backslash: encode it as %5C, or send a slash.';
  }
  if (DOT_SEGMENT.test(rawPath)) {
    return 'The path contains a . or .. segment after decoding: resolve it before you send the request.';
  }
  if (request.method === 'POST' || !hasBody(request)) return undefined;
  return `A ${request.method} request must not have a body: send the data in the query string, or use POST.`;
}

/** Nothing is decoded or encoded again (D3). @throws GatewayError if it must not reach a hosted service */
function toServiceInput({ path, body }: ParsedInput, call: Call): GatewayInput {
  const message = findProblem(call);
  if (message !== undefined) throw new GatewayError('INVALID_REQUEST', { message });
  const { request, requestId, rawQuery } = call;
  const { method = 'GET' } = request;
  const { name, anyPath = '' } = path as Pick<PathInput, 'name'> & Partial<PathInput>;
  return {
    name,
    target: rawQuery === undefined ? `/${anyPath}` : `/${anyPath}?${rawQuery}`,
    method,
    headers: toServiceHeaders(request.headers, requestId),
    body: method === 'POST' ? (body as Readable) : undefined,
  };
}
