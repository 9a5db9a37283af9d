import type { Middleware, ParseAs } from 'openapi-fetch';
import { type GatewayAuth, toSigner } from './auth/credentials.ts';
import type { CallOptions, FetchLike, Hooks, SharedCallOptions } from './call-options.ts';

import type { paths } from './generated/gateway.v1.gen.ts';
import { judgeGateway } from './internal/gateway-errors.ts';
import { wrong } from './internal/options.ts';
import { createPipeline } from './internal/pipeline/create-pipeline.ts';
import {
  type CallInit,
  type CallResult,
  createRawCalls,
  type PathWith,
} from './internal/raw-calls.ts';
import { assertBaseUrl, type GatewayAddress, toGatewayUrl } from './internal/urls.ts';

import { createService } from './service/create-service.ts';
import type { OpenWebSocket, Service } from './service/service.ts';
import type { WireProfile } from './wire-profile.ts';

/**
 * Options of {@link createGatewayClient}: an address, and what is optional.
 *
 * @example
 * const options: GatewayClientOptions = {
 *   envId: 'dev',
 *   gatewayDomain: 'gateway.example.com',
 *   auth: bearer(() => readAccessToken()),
 *   timeouts: { total: 20_000 },
 * };
 */
export type GatewayClientOptions = GatewayAddress &
  SharedCallOptions & {
    /**
     * Puts credentials on each try: `bearer(token)`, `tc3({ secretId, secretKey })`, or your own. A call
     * that brings its own `Authorization` header keeps it. Default: none are sent.
     */
    readonly auth?: GatewayAuth | undefined;
    /**
     * Your own `fetch`, for example behind a proxy or in a test; what it rejects with is the `cause` of
     * a `NetworkError`. Default: the platform's.
     */
    readonly fetch?: FetchLike | undefined;
    /** Headers of every call. Default: none. */
    readonly headers?: RequestInit['headers'];
    /**
     * What is done with a redirect of a hosted service. `manual`: `request` gives it, all others reject
     * with a `GatewayError`; browsers do not show it, so there `request` rejects as well. `follow`: the
     * call goes on to wherever the service says, another service or host included, with its body (307,
     * 308) and all headers of its own; `fetch` leaves out only `Authorization`, for another origin.
     * `error`: a `NetworkError`. Default: `manual`.
     */
    readonly redirect?: RequestInit['redirect'] | undefined;
    /** Functions that see each try. Default: none. */
    readonly hooks?: Hooks | undefined;
    /** Opens WebSockets. Default: the platform's `WebSocket`; Node has one from version 22 on. */
    readonly webSocket?: OpenWebSocket | undefined;
    /** Names of the deployment (D1). Default: `defaultWireProfile`. */
    readonly wireProfile?: WireProfile | undefined;
  };

/** Options of one raw call. */
type RawInit<Operation, As> = Omit<CallInit<Operation, As>, 'fetch' | 'Request'> &
  Omit<CallOptions, 'signal'>;

/** Calls to the gateway; see {@link createGatewayClient}. */
export interface GatewayClient {
  /**
   * The calls to one hosted service.
   *
   * @param name name of the service; the generic is the type of its payloads, where one fits all
   *
   * @example
   * const hello = gateway.service('hello');
   * const { greeting } = await hello.get<{ greeting: string }>('greet?name=Ada');
   */
  service<Payload = unknown>(name: string): Service<Payload>;
  /**
   * Sends a GET, typed by the contract. An error status does not throw: it gives `error`. All else is
   * as with `service`.
   *
   * @throws TypeError where a segment of the path would be rewritten by `fetch` (D3)
   *
   * @example
   * const params = { path: { name: 'hello', anyPath: 'a/b?x=1' } };
   * const { data, error, response } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params });
   */
  GET<Path extends PathWith<paths, 'get'>, As extends ParseAs = 'json'>(
    path: Path,
    init: RawInit<paths[Path]['get'], As>,
  ): Promise<CallResult<paths[Path]['get'], As>>;
  /**
   * Sends a POST with a JSON object; else like `GET`, also where it fails.
   *
   * @example
   * const params = { path: { name: 'hello' } };
   * await gateway.POST('/v1/cloudrun/{name}', { params, body: { item: 3 } });
   */
  POST<Path extends PathWith<paths, 'post'>, As extends ParseAs = 'json'>(
    path: Path,
    init: RawInit<paths[Path]['post'], As>,
  ): Promise<CallResult<paths[Path]['post'], As>>;
  /** Adds middleware of `openapi-fetch` to `GET` and `POST`. */
  use(...middleware: Middleware[]): void;
  /** Removes middleware again. */
  eject(...middleware: Middleware[]): void;
}

/**
 * A client of the gateway (v1). `service(name)` is for every day; `GET` and `POST` are the raw
 * operations of the contract.
 *
 * Failed calls are repeated where that is safe, a token is refreshed where it has expired, and no call
 * lasts longer than its time limits.
 *
 * @throws TypeError where the address is missing, is no http(s) URL or holds a password, or where the
 *   environment is no host label
 * @throws RangeError where a time limit or a number of `retry` is out of its range
 *
 * @example
 * const gateway = createGatewayClient({
 *   envId: 'dev',
 *   gatewayDomain: 'gateway.example.com',
 *   auth: bearer(() => readAccessToken()),
 * });
 * const user = await gateway.service('users').get<User>('7');
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  if (!options) {
    throw new TypeError(
      'createGatewayClient needs options: { baseUrl }, or { envId, gatewayDomain }.',
    );
  }
  const { auth, webSocket, wireProfile } = options;
  if (auth && typeof auth.authorize !== 'function') {
    throw wrong('auth', 'bearer(…), tc3(…), or an object with authorize()', auth);
  }
  const headers = Object.fromEntries(new Headers(options.headers));
  const address = toGatewayUrl(options);
  assertBaseUrl(address);
  const baseUrl = address.replace(/\/$/, '');
  const redirect = options.redirect ?? 'manual';
  const pipeline = createPipeline({
    ...options,
    redirect,
    upstreamStatus: wireProfile?.gatewayHeaders.upstreamStatus,
    signer: auth && toSigner(auth),
    secretHeaders: ['authorization'],
    judge: judgeGateway,
  });
  const { call, ...middleware } = createRawCalls(pipeline, { baseUrl, headers, redirect });
  return {
    ...middleware,
    GET: call('GET'),
    POST: call('POST'),
    service: (name) => createService(pipeline, { name, baseUrl, headers }, webSocket),
  };
}
