import { toWireProfile, type WireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { type CorsOptions, createCors } from './cors.ts';
import type { RequestLimits, RouterOptions } from './runtime/options.ts';
import type { Call, ErrorWithResponse, HttpError } from './runtime/portable/index.ts';

/** Options that all three routers share. */
export interface CommonOptions
  extends Pick<RouterOptions, 'requestId' | 'responses' | 'onError' | 'onResponse' | 'onFault'> {
  /**
   * Maximum body sizes: `bodyBytes` for the storage API, `streamBytes` for the gateway and uploads. Default: the
   * contract's; for uploads, `fileBytes` and the rest of the form.
   */
  readonly requests?: RequestLimits;
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

export function toRouterOptions(
  surface: 'gateway' | 'storage' | 'upload',
  options: CommonOptions,
  defaults: RequestLimits,
  toError: (error: HttpError, call: Call, wireProfile: WireProfile) => ErrorWithResponse,
) {
  const wireProfile = toWireProfile(options.wireProfile);
  const cors = createCors(surface, wireProfile, options.cors);
  const limits = Object.entries(options.requests ?? {}).filter(([, value]) => value !== undefined);
  const settings = {
    ...options,
    requests: { ...defaults, ...Object.fromEntries(limits) },
    headers: ({ request, requestId }: Call) => ({
      ...cors.response(request.headers.origin),
      // D9: every response has an `X-Request-Id`, which is new for each call.
      'x-request-id': requestId,
    }),
    // D11: OPTIONS is the CORS preflight, even for unknown paths: browsers must be able to read their error.
    respondToOptions({ request }: Call) {
      const preflight = cors.preflight(request.headers);
      const allow = preflight['access-control-allow-methods'];
      return { status: 204, headers: { ...preflight, allow } };
    },
    toError: (error: HttpError, call: Call) => toError(error, call, wireProfile),
  };
  return { wireProfile, cors, settings };
}

/** JavaScript users learn about a missing function from an error at creation, and not from the first request. */
export function assertFunction(value: unknown, name: string): void {
  if (typeof value !== 'function') {
    throw new TypeError(`${name} is missing: it must be a function.`);
  }
}
