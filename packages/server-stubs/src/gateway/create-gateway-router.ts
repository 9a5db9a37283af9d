import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError, type GatewayErrorCode } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/gateway.v1/routes.gen.ts';
import { createCors, toPreflight } from '../http/cors.ts';
import { type BerthRouterOptions, type EnvOption, toHandlers } from '../http/router-options.ts';
import { isResponding, isWebSocket, UpgradeResponse } from '../http/upgrade.ts';
import { defaultWireProfile } from '../http/wire-profile.ts';
import {
  type Call,
  createRouter,
  type Fault,
  type FaultKind,
  type Router,
  toResponse,
} from '../runtime/index.ts';
import type { GatewayHandler, GatewayHandlers, WebSocketHandler } from './gateway-handlers.ts';
import { type GatewaySecurity, toGatewaySecurity } from './gateway-security.ts';
import { toGatewayHandler } from './to-gateway-handler.ts';
import { takeBearerProtocol } from './web-socket.ts';

const CODES: Readonly<Record<FaultKind, GatewayErrorCode>> = {
  'not-found': 'INVALID_PATH',
  'method-not-allowed': 'METHOD_NOT_ALLOWED',
  'bad-path': 'INVALID_REQUEST',
  'invalid-request': 'INVALID_REQUEST',
  'malformed-body': 'INVALID_REQUEST',
  'unsupported-media-type': 'INVALID_REQUEST',
  'too-large': 'EXCEED_MAX_PAYLOAD_SIZE',
  unauthorized: 'INVALID_CREDENTIALS',
  'not-implemented': 'SYS_ERR',
  'invalid-response': 'SYS_ERR',
  'handler-failed': 'SYS_ERR',
};

export interface GatewayRouterOptions<Caller = unknown> extends BerthRouterOptions {
  /** Authenticates callers: one handler for each scheme of the contract. */
  readonly security: GatewaySecurity<Caller>;
  /** Environments that this gateway serves; other hosts get `INVALID_HOST`. Default: all. */
  readonly env?: EnvOption;
}

/** The router of the gateway, with its WebSocket support. */
export interface GatewayRouter extends Router {
  /**
   * Listener for `server.on('upgrade', …)`. A WebSocket passes the same checks as any call and then goes
   * to the handler `webSocket`; a refusal is an ordinary HTTP response, after which the connection
   * closes. A browser may send its token as subprotocol `berth.bearer.<token>`, which is removed before
   * the handler is called (D14). A page whose `Origin` is not one of `cors.origins` is refused. An
   * upgrade that arrives while an earlier call of its connection is in progress closes the connection.
   */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /**
   * For the option `shouldUpgradeCallback` of `node:http`: true for WebSockets only, so that the offer of
   * another protocol (`Upgrade: h2c`) is ignored.
   */
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

/**
 * Creates the gateway of hosted services: middleware for Express 4 and 5, and a `node:http` listener.
 * Handlers only call the service; the router takes care of paths, credentials, limits, CORS, errors and
 * the header rules C1 to C3.
 *
 * @throws TypeError for options that contradict each other
 *
 * @example
 * const call: GatewayHandler = async ({ name, target, method, headers, body }, { signal }) => {
 *   const address = addresses.get(name);
 *   if (address === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
 *   const response = await request(address + target, { method, headers, body, signal }); // undici
 *   return { status: response.statusCode, headers: response.headers, body: response.body };
 * };
 * const handlers = { 'cloudrun-get-root': call, 'cloudrun-get': call, 'cloudrun-post': call };
 * app.use(createGatewayRouter(handlers, { env: 'dev', security: { bearerToken, signature } }));
 */
export function createGatewayRouter<Caller = unknown>(
  handlers: GatewayHandlers<Caller>,
  options: GatewayRouterOptions<Caller>,
): GatewayRouter {
  const { security, env, cors: origins, wireProfile = defaultWireProfile, requests } = options;
  const { routes = standard } = options;
  const cors = createCors('gateway', wireProfile, origins);
  const { webSocket, ...operations } = handlers;
  const upstreamStatus = wireProfile.gatewayHeaders.upstreamStatus.toLowerCase();
  const upgrades = {
    handler: webSocket as WebSocketHandler | undefined,
    allows: cors.allows,
    upstreamStatus,
  };
  const toHandler = (handler: GatewayHandler<Caller>) => toGatewayHandler(handler, cors, upgrades);
  const router = createRouter(routes, toHandlers(operations, toHandler), {
    ...options,
    security: toGatewaySecurity(security, env),
    requests: { streamBytes: LIMITS.gatewayBodyBytes, ...requests },
    headers: (call) => ({
      ...cors.response(call.request.headers.origin),
      // D9: every gateway response has an `X-Request-Id`, which is new for each call.
      'x-request-id': call.requestId,
    }),
    toResponse: (fault, call) =>
      toPreflight(fault, call, cors) ?? toGatewayFault(fault, call)[toResponse](call),
  });
  const upgrade: GatewayRouter['upgrade'] = (request, socket, head) => {
    if (isResponding(socket)) {
      socket.destroy();
      return;
    }
    takeBearerProtocol(request);
    router(request, new UpgradeResponse(request, socket, head));
  };
  return Object.assign(router, { upgrade, shouldUpgrade: isWebSocket });
}

/** Maps a fault of the runtime to an error of the gateway (D6). */
function toGatewayFault(fault: Fault, { request }: Call): GatewayError {
  const { kind, status, message, cause } = fault;
  if (kind === 'unauthorized' && request.headers.authorization === undefined) {
    return new GatewayError('MISSING_CREDENTIALS', {
      message: 'The header Authorization is missing: send a Bearer token or a signature.',
    });
  }
  // Only a body is a payload; too long a path or headers make the request invalid.
  const code = kind === 'too-large' && status !== 413 ? 'INVALID_REQUEST' : CODES[kind];
  if (kind === 'invalid-response' || kind === 'handler-failed') {
    return new GatewayError(code, { cause });
  }
  return new GatewayError(code, { message, status, cause });
}
