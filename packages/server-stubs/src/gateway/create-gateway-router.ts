import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { toWireProfile } from '@berth/spec/wire-profile';
import { GatewayError, toContractError } from '../errors.ts';
import { LIMITS, SIGNATURE } from '../generated/contract.gen.ts';
import type { SecurityHandlers } from '../generated/gateway.v1/index.gen.ts';
import { routes as standard } from '../generated/gateway.v1/routes.gen.ts';
import { createCors } from '../http/cors.ts';
import { hostOf, isLoopback } from '../http/headers.ts';
import {
  type BerthRouterOptions,
  type EnvOption,
  toHandlers,
  toRouterOptions,
} from '../http/router-options.ts';
import { isResponding, isWebSocket, UpgradeResponse } from '../http/upgrade.ts';
import {
  type Call,
  createRouter,
  type HttpError,
  type Router,
  type SecurityHandler,
} from '../runtime/index.ts';
import type { GatewayHandler, GatewayHandlers, WebSocketHandler } from './gateway-handlers.ts';
import { toGatewayHandler } from './to-gateway-handler.ts';
import { takeBearerProtocol } from './web-socket.ts';

export interface GatewayRouterOptions<Caller = unknown> extends BerthRouterOptions {
  /** Authenticates callers, with one handler for each scheme in the contract. */
  readonly security: GatewaySecurity<Caller>;
  /** Environments that this gateway serves. Requests to any other host get `INVALID_HOST`. Default: all. */
  readonly env?: EnvOption;
}

/** A gateway router, with support for WebSockets. */
export interface GatewayRouter extends Router {
  /**
   * Listener for `server.on('upgrade', …)`. A WebSocket passes the same checks as any call, and then
   * goes to the `webSocket` handler. If it is rejected, the response is an ordinary HTTP response, after
   * which the connection closes. A browser may send its token as the subprotocol `berth.bearer.<token>`,
   * which is removed before the handler is called (D14). Pages whose `Origin` is not in `cors.origins`
   * are rejected. An upgrade that arrives while an earlier call on the same connection is in progress
   * closes the connection.
   */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /**
   * For the `shouldUpgradeCallback` option of `node:http`. Returns true for WebSockets only, so that
   * offers of other protocols (`Upgrade: h2c`) are ignored.
   */
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

/**
 * Creates the gateway for hosted services: middleware for Express 4 and 5, and a `node:http` listener.
 * Your handlers call the service; the router takes care of paths, credentials, limits, CORS, errors and
 * the `Content-Disposition` rules (C1 to C3).
 *
 * @throws TypeError if options contradict each other
 *
 * @example
 * const call: GatewayHandler = async ({ name, target, method, headers, body }, { signal }) => {
 *   const address = addresses.get(name);
 *   if (address === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
 *   const response = await request(address + target, { method, headers, body, signal }); // undici
 *   return { status: response.statusCode, headers: response.headers, body: response.body };
 * };
 * const handlers = {
 *   'cloudrun-get-root': call,
 *   'cloudrun-post-root': call,
 *   'cloudrun-get': call,
 *   'cloudrun-post': call,
 * };
 * app.use(createGatewayRouter(handlers, { env: 'dev', security: { bearerToken, signature } }));
 */
export function createGatewayRouter<Caller = unknown>(
  handlers: GatewayHandlers<Caller>,
  options: GatewayRouterOptions<Caller>,
): GatewayRouter {
  const { security, env, cors: origins, requests } = options;
  const wireProfile = toWireProfile(options.wireProfile);
  const { routes = standard } = options;
  const cors = createCors('gateway', wireProfile, origins);
  const { webSocket, ...operations } = handlers;
  const upstreamStatus = wireProfile.gatewayHeaders.upstreamStatus.toLowerCase();
  const upgrades = {
    handler: webSocket as WebSocketHandler | undefined,
    allows: cors.allows,
    upstreamStatus,
    onResponse: options.onResponse,
  };
  const toHandler = (handler: GatewayHandler<Caller>) => toGatewayHandler(handler, cors, upgrades);
  const router = createRouter(routes, toHandlers(operations, toHandler), {
    ...toRouterOptions(options, cors, toGatewayError),
    security: toGatewaySecurity(security, env),
    requests: { streamBytes: LIMITS.gatewayBodyBytes, ...requests },
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

function toGatewayError(error: HttpError, { request }: Call) {
  if (error.kind === 'unauthorized' && request.headers.authorization === undefined) {
    return new GatewayError('MISSING_CREDENTIALS', {
      message: 'The Authorization header is missing: send a Bearer token or a signature.',
    });
  }
  return toContractError('gateway', error);
}

/** A call that has not been authenticated yet. */
export interface GatewayLogin extends Call {
  /** Environment that the host name selects. Reject credentials for any other (D15). */
  readonly env: string;
}

/**
 * Returns the caller that a credential belongs to. Return `undefined`, `null` or `false` to reject it,
 * or throw a `GatewayError` to give a reason, such as `ACCESS_TOKEN_EXPIRED`.
 */
type GatewayLoginHandler<Caller> = (
  credential: string,
  call: GatewayLogin,
) => Caller | undefined | null | false | Promise<Caller | undefined | null | false>;

/**
 * The handlers for the gateway's security schemes. It is enough that one of the schemes authenticates a call
 * (D15).
 */
export type GatewaySecurity<Caller = unknown> = {
  /**
   * - `bearerToken` gets the access token, without `Bearer`.
   * - `signature` gets the complete `Authorization` header, which starts with `TC3-HMAC-SHA256` (D16).
   *   The signature covers the SHA-256 of the body, which has not been read yet.
   */
  readonly [Scheme in keyof SecurityHandlers]: GatewayLoginHandler<Caller>;
};

type Security = Readonly<Record<keyof SecurityHandlers, SecurityHandler>>;

function toGatewaySecurity(
  { bearerToken, signature }: GatewaySecurity,
  env: EnvOption | undefined,
): Security {
  const toLogin = (call: Call): GatewayLogin => {
    const login = call as Call & { env: string };
    login.env = envOf(call, env);
    return login;
  };
  return {
    bearerToken: (token, call) => bearerToken(token, toLogin(call)),
    signature: (value, call) =>
      value.split(' ', 1)[0] === SIGNATURE.algorithm ? signature(value, toLogin(call)) : undefined,
  };
}

/**
 * The environment is the first label of the host name. A server with a single environment also accepts any
 * loopback host. An unknown environment is `INVALID_HOST` (D12).
 */
function envOf({ request }: Pick<Call, 'request'>, env: EnvOption | undefined): string {
  const host = hostOf(request);
  if (host === undefined) {
    throw new GatewayError('INVALID_HOST', {
      message: 'The Host header is missing, duplicated, or not a host name.',
    });
  }
  const isOwn = isLoopback(host);
  const label = isOwn ? host : (host.split('.', 1)[0] as string);
  if (env === undefined) return label;
  if (typeof env === 'function') {
    if (env(label)) return label;
  } else if (isOwn || label === env.toLowerCase()) {
    return env;
  }
  throw new GatewayError('INVALID_HOST', {
    message: `The host ${host} does not belong to any environment of this gateway.`,
  });
}
