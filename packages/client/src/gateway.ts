import type { WireProfile } from '@berth/spec/wire-profile';
import { createGatewaySession, type GatewayAuth } from './auth.ts';
import { type LimitOptions, toLimits } from './call-options.ts';
import { type Calls, createCalls } from './calls.ts';
import type { GatewayContext } from './context.ts';
import { createFetch, createSender, type FetchInit, type FetchLike } from './fetch.ts';
import { createGatewayErrors } from './gateway-errors.ts';
import { GREEDY_PARAMETERS } from './generated/contract.gen.ts';
import type { components, paths } from './generated/gateway.v1.gen.ts';
import { createService, SERVICE_PATH, type Service } from './service.ts';
import { toBaseUrl, toSegment } from './urls.ts';

/** Options for {@link createGatewayClient}. */
export interface GatewayClientOptions extends LimitOptions {
  /**
   * URL of the gateway, with the environment as the first label of its host name: `https://dev.gateway.example.com`. In
   * a browser, it may start with `/`.
   */
  readonly baseUrl: string;
  /** Adds credentials to each attempt. An `Authorization` header of a call takes precedence. Default: none. */
  readonly auth?: GatewayAuth | undefined;
  /** Sends each attempt, for example through a proxy. Not used for WebSockets. Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** Headers to send with every call. Default: none. */
  readonly headers?: RequestInit['headers'];
  /** Names that the deployment uses, from `toWireProfile`. Default: the contract's. */
  readonly wireProfile?: WireProfile | undefined;
}

/**
 * A hosted service that is also an `openapi-fetch` client of its own document. `error` may also be the gateway's. Its
 * `use` adds middleware only to its own `GET` and `POST`: not to its `get` and `post`, nor to another object for the
 * same service.
 */
export type DocumentedService<Paths extends object> = Service & Calls<Paths, GatewayFailure>;

interface GatewayFailure {
  readonly data?: never;
  readonly error: components['schemas']['GatewayError'];
  readonly response: Response;
}

/**
 * A gateway client. It is also a client of `openapi-fetch` with the `paths` of the contract: `GET` and `POST`, which do
 * not throw for an error status, `use` and `eject`. `use` adds middleware to these calls and to `get` and `post` of
 * services, but not to `request`, `events`, `connect`, `fetch`, or the `GET` and `POST` of a service.
 */
export interface GatewayClient extends Calls<paths> {
  /**
   * Returns a hosted service. With the `paths` of its OpenAPI document, as `openapi-typescript` writes them, it also
   * has the methods of an `openapi-fetch` client. The gateway forwards GET and POST.
   *
   * @example
   * const user = await gateway.service('users').get<User>('7');
   * const { data, error } = await gateway.service<paths>('orders').GET('/items/{id}', {
   *   params: { path: { id: 42 } },
   * });
   */
  service(name: string): Service;
  service<Paths extends object>(name: string): DocumentedService<Paths>;
  /**
   * A `fetch` for other libraries. It adds the client's credentials, time limit and retries to calls of this gateway's
   * services; any other URL is fetched without them. The time limit ends with the response headers. Redirects of the
   * gateway are not followed.
   *
   * @example
   * const openai = new OpenAI({
   *   baseURL: gateway.service('llm').url,
   *   fetch: gateway.fetch,
   *   apiKey: 'unused',
   *   defaultHeaders: { Authorization: null },
   *   maxRetries: 0,
   * });
   */
  readonly fetch: (input: string | URL | Request, init?: FetchInit) => Promise<Response>;
}

/**
 * Creates a client for the gateway (v1). Start with `service(name)`.
 *
 * @throws BerthError of the kind `options` if an option is invalid
 *
 * @example
 * const auth = bearer(() => readAccessToken());
 * const gateway = createGatewayClient({ baseUrl: 'https://dev.gateway.example.com', auth });
 * const user = await gateway.service('users').get<User>('7');
 */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { classify, toGatewayError } = createGatewayErrors(options.wireProfile);
  const session = options.auth && createGatewaySession(options.auth);
  const baseUrl = toBaseUrl(options.baseUrl);
  const scope = baseUrl + SERVICE_PATH.replace('{name}', '');
  const limits = toLimits(options);
  const sender = createSender({ ...options, limits, session, scope, classify });
  const { client, call } = createCalls<paths>(sender, baseUrl, GREEDY_PARAMETERS);
  const fetch = createFetch(sender, scope);
  const context: GatewayContext = { sender, call, fetch, session, toGatewayError };
  return {
    ...client,
    fetch,
    service<Paths extends object>(name: string) {
      const url = scope + toSegment('name', name);
      const calls = createCalls<Paths>(sender, url).client as Calls<Paths, GatewayFailure>;
      return { ...calls, ...createService(context, name, url) };
    },
  };
}
