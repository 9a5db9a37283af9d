import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { type CorsOptions, createCors } from './cors.ts';
import { toContractError } from './errors.ts';
import type { Handlers, Router, RouterOptions } from './runtime/options.ts';
import type { CallClass, RouteTable } from './runtime/portable/index.ts';
import { createRouter } from './runtime/router.ts';

/** Options that all three routers share. */
export interface CommonOptions
  extends Pick<RouterOptions, 'requestId' | 'responses' | 'onError' | 'onResponse' | 'onFault'> {
  /**
   * Maximum body sizes: `bodyBytes` for the storage API, `streamBytes` for the gateway and uploads. Default: the
   * contract's; for uploads, `fileBytes` and the rest of the form.
   */
  readonly requests?: RouterOptions['requests'];
  /** CORS options. Default: pages from any origin may read responses, without credentials. */
  readonly cors?: CorsOptions;
  /** The deployment's wire profile. Default: the contract's neutral names. */
  readonly wireProfile?: WireProfileInput;
}

/** The environments that a router serves: a name, or a function that returns whether it serves a name. */
export type EnvOption = string | ((env: string) => boolean);

/** The caller that credentials belong to, or `undefined`, `null` or `false` to reject them. */
export type AuthResult<Caller> =
  | (Caller | undefined | null | false)
  | Promise<Caller | undefined | null | false>;

/** What the routers share: names, CORS, and their way into the runtime. */
export function createSurface(name: 'gateway' | 'storage' | 'upload', options: CommonOptions) {
  const wireProfile = toWireProfile(options.wireProfile);
  const cors = createCors(name, wireProfile, options.cors);
  const { requests = {}, requestId, responses, onError, onResponse, onFault } = options;
  return {
    wireProfile,
    cors,
    /** Like the runtime's. `surfaceOptions.requests` are defaults. */
    createRouter(
      table: RouteTable,
      handlers: Handlers,
      surfaceOptions: Pick<RouterOptions, 'security' | 'requests' | 'encodeBody'>,
      CallClass: CallClass,
    ): Router {
      const { bodyBytes, streamBytes } = surfaceOptions.requests ?? {};
      const routerOptions: RouterOptions = {
        ...surfaceOptions,
        requestId,
        responses,
        onError,
        onResponse,
        onFault,
        requests: {
          bodyBytes: requests.bodyBytes ?? bodyBytes,
          streamBytes: requests.streamBytes ?? streamBytes,
        },
        toError: (error) => toContractError(name, error),
        headers: ({ request, requestId }) => ({
          ...cors.response(request.headers.origin),
          // D9: every response has an `X-Request-Id`, which is new for each call.
          'x-request-id': requestId,
        }),
        // D11: OPTIONS is the CORS preflight, even for unknown paths: browsers must be able to read their error.
        respondToOptions({ request }) {
          const preflight = cors.preflight(request.headers);
          const allow = preflight['access-control-allow-methods'];
          return { status: 204, headers: { ...preflight, allow } };
        },
      };
      return createRouter(table, handlers, routerOptions, CallClass);
    },
  };
}

/** JavaScript users learn about a missing function from an error at creation, and not from the first request. */
export function assertFunction(value: unknown, name: string): void {
  if (typeof value !== 'function') {
    throw new TypeError(`${name} is missing: it must be a function.`);
  }
}
