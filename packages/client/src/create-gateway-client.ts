import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import type { Middleware, ParseAs } from 'openapi-fetch';
import { type GatewayAuth, toSigner } from './auth/credentials.ts';
import type { FetchLike, SharedCallOptions } from './call-options.ts';

import type { paths } from './generated/gateway.v1.gen.ts';
import { classifyGateway } from './internal/gateway-errors.ts';
import { wrong } from './internal/options.ts';
import { createPipeline } from './internal/pipeline.ts';
import { type CallResult, createRawCalls, type PathWith } from './internal/raw-calls.ts';
import { assertBaseUrl, type GatewayAddress, toGatewayUrl } from './internal/urls.ts';

import { createService, type DocumentedService, type Init } from './service/create-service.ts';
import type { Service } from './service/service.ts';

/**
 * Options for {@link createGatewayClient}. Only the address is required: `baseUrl`, or `envId` and
 * `gatewayDomain`.
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
     * Adds credentials to each attempt: `bearer(token)`, `tc3({ secretId, secretKey })`, or your own. A
     * call's own `Authorization` header takes precedence. Default: none.
     */
    readonly auth?: GatewayAuth | undefined;
    /**
     * Your own `fetch`, for example for a proxy or a test. If it rejects, its error becomes the `cause`
     * of a `NetworkError`. Default: the platform's `fetch`.
     */
    readonly fetch?: FetchLike | undefined;
    /** Headers to send with every call. Default: none. */
    readonly headers?: RequestInit['headers'];
    /** The deployment's wire profile (D1). Default: `defaultWireProfile`. */
    readonly wireProfile?: WireProfileInput | undefined;
  };

/**
 * A gateway client, created by {@link createGatewayClient}.
 *
 * `Services` maps service names to the `paths` of their OpenAPI documents, as `openapi-typescript` writes
 * them. If you pass it, only these services can be called. By default, any service can be called, without types from a
 * document.
 */
export interface GatewayClient<Services extends object = Record<never, never>> {
  /**
   * Returns an object for calling a hosted service, typed by the service's own OpenAPI document.
   *
   * @example
   * const gateway = createGatewayClient<{ orders: paths }>({ baseUrl, auth });
   * const { data } = await gateway.service('orders').GET('/items/{id}', { params: { path: { id: 42 } } });
   */
  service<Name extends keyof Services & string>(name: Name): DocumentedService<Services[Name]>;
  /**
   * Returns an object for calling one hosted service.
   *
   * @param name name of the service. Use the type parameter if all its payloads have the same type
   *
   * @example
   * const hello = gateway.service('hello');
   * const { greeting } = await hello.get<{ greeting: string }>('greet?name=Ada');
   */
  service<Payload = unknown>(
    name: [keyof Services] extends [never] ? string : never,
  ): Service<Payload>;
  /**
   * Sends a GET request, typed by the contract. An error status does not throw; the result then has an
   * `error`. Everything else works as with `service`.
   *
   * @throws TypeError if `fetch` would rewrite a path segment (D3)
   *
   * @example
   * const params = { path: { name: 'hello', anyPath: 'a/b?x=1' } };
   * const { data, error, response } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params });
   */
  GET<Path extends PathWith<paths, 'get'>, As extends ParseAs = 'json'>(
    path: Path,
    init: Init<paths[Path]['get'], As>,
  ): Promise<CallResult<paths[Path]['get'], As>>;
  /**
   * Sends a POST request with a JSON object. It returns and throws the same as `GET`.
   *
   * @example
   * const params = { path: { name: 'hello' } };
   * await gateway.POST('/v1/cloudrun/{name}', { params, body: { item: 3 } });
   */
  POST<Path extends PathWith<paths, 'post'>, As extends ParseAs = 'json'>(
    path: Path,
    init: Init<paths[Path]['post'], As>,
  ): Promise<CallResult<paths[Path]['post'], As>>;
  /** Adds `openapi-fetch` middleware to `GET` and `POST`. */
  use(...middleware: Middleware[]): void;
  /** Removes middleware that `use` added. */
  eject(...middleware: Middleware[]): void;
}

/**
 * Creates a client for the gateway (v1). Use `service(name)` for most calls; `GET` and `POST` call the
 * contract's operations directly.
 *
 * The client retries failed calls if that is safe, refreshes expired tokens, and enforces a time limit
 * on every call.
 *
 * @throws TypeError if the address is missing, is not an http(s) URL or contains a password, or if `envId` is
 *   not a single host name label
 * @throws RangeError if a time limit or a number in `retry` is out of range
 *
 * @example
 * const gateway = createGatewayClient({
 *   envId: 'dev',
 *   gatewayDomain: 'gateway.example.com',
 *   auth: bearer(() => readAccessToken()),
 * });
 * const user = await gateway.service('users').get<User>('7');
 */
export function createGatewayClient<Services extends object = Record<never, never>>(
  options: GatewayClientOptions,
): GatewayClient<Services> {
  if (!options) {
    throw new TypeError('createGatewayClient needs { baseUrl } or { envId, gatewayDomain }.');
  }
  const { auth, wireProfile } = options;
  if (auth && typeof auth.authorize !== 'function') {
    throw wrong('auth', 'bearer(…), tc3(…), or an object with authorize()', auth);
  }
  const url = toGatewayUrl(options);
  assertBaseUrl(url);
  const address = {
    baseUrl: url.replace(/\/$/, ''),
    headers: Object.fromEntries(new Headers(options.headers)),
    // Following one would send the call elsewhere, even to another service or host.
    redirect: 'manual' as const,
  };
  const pipeline = createPipeline({
    ...options,
    ...address,
    upstreamStatus: toWireProfile(wireProfile).gatewayHeaders.upstreamStatus,
    signer: auth && toSigner(auth),
    classify: classifyGateway,
  });
  const { call, ...middleware } = createRawCalls(pipeline, address);
  return {
    ...middleware,
    GET: call('GET'),
    POST: call('POST'),
    service: (name: string) => createService(pipeline, { name, ...address }),
  };
}
