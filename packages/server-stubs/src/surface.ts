import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { type CorsOptions, createCors } from './cors.ts';
import { toContractError } from './errors.ts';
import { COMMON_NAMES, type CommonOptions, type TableRouterOptions } from './runtime/options.ts';
import { assertNames, namesOf } from './runtime/portable/user-input.ts';

/** Options of the three routers of the contract. */
export interface ApiOptions extends CommonOptions {
  /** CORS options. Default: pages from any origin may read responses, without credentials. */
  readonly cors?: CorsOptions;
  /** The deployment's wire profile. Default: the contract's neutral names. */
  readonly wireProfile?: WireProfileInput;
}

/** The caller that credentials belong to, or `undefined` to reject them. */
export type AuthResult<Caller> = Caller | undefined | Promise<Caller | undefined>;

/** A caller that `createGatewaySignature` returns for a call with a body. */
export interface SignedCaller {
  /**
   * Verifies the SHA-256 (hex) of the body. The router does, unless `signedBodies` is `handler`.
   *
   * @throws GatewayError INVALID_CREDENTIALS if the body was not signed
   */
  readonly verifyBody: (bodyHash: string) => void;
}

const API_NAMES = namesOf<Omit<ApiOptions, keyof CommonOptions>>({ cors: true, wireProfile: true });

/**
 * Returns what the three routers share: names, CORS, and options of the runtime's router.
 *
 * @param extraNames the options that only this router has
 * @param maxBytes maximum body size, unless the user sets `requests`
 */
export function createSurface<Options extends ApiOptions>(
  name: 'gateway' | 'storage' | 'upload',
  options: Options,
  extraNames: Record<Exclude<keyof Options, keyof ApiOptions>, true>,
  maxBytes: number,
) {
  assertNames('options', options, [...Object.keys(extraNames), ...COMMON_NAMES, ...API_NAMES]);
  const limit = name === 'storage' ? 'bodyBytes' : 'streamBytes';
  assertNames('requests', options.requests ?? {}, [limit]);
  const wireProfile = toWireProfile(options.wireProfile);
  const cors = createCors(name, wireProfile, options.cors);
  const common = COMMON_NAMES.map((option) => [option, options[option]]);
  const shared: TableRouterOptions = {
    ...Object.fromEntries(common),
    maxBytes,
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
