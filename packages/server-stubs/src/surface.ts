import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { type CorsOptions, createCors } from './cors.ts';
import { toContractError } from './errors.ts';
import type { CommonOptions, TableRouterOptions } from './runtime/options.ts';

/** Options of the three routers of the contract. */
export interface ApiOptions extends CommonOptions {
  /** CORS options. Default: pages from any origin may read responses, without credentials. */
  readonly cors?: CorsOptions;
  /** The deployment's wire profile. Default: the contract's neutral names. */
  readonly wireProfile?: WireProfileInput;
}

/** The caller that credentials belong to, or `undefined` to reject them. */
export type AuthResult<Caller> = Caller | undefined | Promise<Caller | undefined>;

/**
 * Returns what the three routers share: names, CORS, and options of the runtime's router.
 *
 * @param maxBytes maximum body size, unless the user sets `requests`
 */
export function createSurface(
  name: 'gateway' | 'storage' | 'upload',
  options: ApiOptions,
  maxBytes: number,
) {
  const wireProfile = toWireProfile(options.wireProfile);
  const cors = createCors(name, wireProfile, options.cors);
  const { bodyBytes = maxBytes, streamBytes = maxBytes, ...limits } = options.requests ?? {};
  const shared: TableRouterOptions = {
    ...options,
    requests: { ...limits, bodyBytes, streamBytes },
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
  return { wireProfile, cors, shared };
}
