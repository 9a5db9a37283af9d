import createClient, { type HeadersOptions, type Middleware, type ParseAs } from 'openapi-fetch';
import type { paths } from './generated/gateway.v1.gen.ts';
import { assertBaseUrl } from './internal/assert-base-url.ts';
import { bearer, type TokenSource } from './internal/bearer.ts';
import { rememberCalls } from './internal/calls.ts';
import { platformFetch } from './internal/platform-fetch.ts';
import { type GatewayAddress, toGatewayUrl } from './internal/to-gateway-url.ts';
import { toPath } from './internal/to-path.ts';
import type { CallInit, CallResult, PathWith } from './internal/typed-call.ts';
import { defaultWireProfile, type WireProfile } from './wire-profile.ts';

/** Options of {@link createGatewayClient}: an address, and what is optional. */
export type GatewayClientOptions = GatewayAddress & {
  /**
   * Access token of the environment, or a function that gives one for each call, sent as
   * `Authorization: Bearer …` (RFC 6750). A call that brings its own `Authorization` header keeps it.
   * Default: none is sent.
   */
  readonly token?: TokenSource | undefined;
  /** Your own `fetch`, for example behind a proxy or in a test. Default: the platform's. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Headers of every call. Default: none. */
  readonly headers?: HeadersOptions | undefined;
  /** Names of the deployment (D1). Default: {@link defaultWireProfile}. */
  readonly wireProfile?: WireProfile | undefined;
};

/** Typed calls to the gateway; see {@link createGatewayClient}. */
export interface GatewayClient {
  /**
   * Sends a GET to a hosted service. An error status does not throw: it gives `error`.
   *
   * @throws TypeError where a segment of the path would be rewritten by `fetch` (D3)
   */
  GET<Path extends PathWith<paths, 'get'>, As extends ParseAs = 'json'>(
    path: Path,
    init: CallInit<paths[Path]['get'], As>,
  ): Promise<CallResult<paths[Path]['get'], As>>;
  /** Sends a POST with a JSON object to a hosted service; else like `GET`. */
  POST<Path extends PathWith<paths, 'post'>, As extends ParseAs = 'json'>(
    path: Path,
    init: CallInit<paths[Path]['post'], As>,
  ): Promise<CallResult<paths[Path]['post'], As>>;
  /** Adds middleware of `openapi-fetch`. */
  use(...middleware: Middleware[]): void;
  /** Removes middleware again. */
  eject(...middleware: Middleware[]): void;
}

/**
 * A client of the gateway (v1), typed from the contract. `anyPath` may hold several segments and a
 * query and is sent exactly as given; for the root of a service with a query give `anyPath: '?x=1'`.
 *
 * The calls resolve with `{ data, error, response }` and reject only as `fetch` does. JSON is read
 * unless `parseAs` says otherwise: give `parseAs: 'text'` or `'stream'` for a service that sends no
 * JSON.
 *
 * @throws TypeError where the address is missing, holds a password, or the environment is no host label
 *
 * @example
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', token });
 * const result = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', {
 *   params: { path: { name: 'hello', anyPath: 'a/b?x=1' } },
 * });
 * if (!result.response.ok) throw toGatewayError(result);
 * console.log(result.data);
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { token, fetch = platformFetch, headers, wireProfile = defaultWireProfile } = options;
  const baseUrl = toGatewayUrl(options);
  assertBaseUrl(baseUrl);
  const client = createClient<paths>({
    baseUrl,
    fetch,
    pathSerializer: toPath,
    ...(headers && { headers }),
  });
  client.use(rememberCalls(wireProfile, ['Authorization']));
  if (token !== undefined) client.use(bearer(token));
  return {
    GET: client.GET as GatewayClient['GET'],
    POST: client.POST as GatewayClient['POST'],
    use: client.use,
    eject: client.eject,
  };
}
