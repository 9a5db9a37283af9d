import type { WireProfile } from '@berth/spec/wire-profile';
import { CORS } from '../generated/contract.gen.ts';
import type { HandlerResponse, HttpError } from '../runtime/index.ts';

/** CORS options (D11). */
export interface CorsOptions {
  /**
   * Origins whose pages may read responses: `*`, a list of origins as browsers send them
   * (`https://app.example.com`), or a function that decides for an origin. Other origins get no
   * `Access-Control-Allow-Origin`. Default: `*`.
   */
  readonly origins?: '*' | readonly string[] | ((origin: string) => boolean);
  /**
   * Whether listed origins may send cookies and HTTP authentication. Cannot be combined with `*`. The
   * contract's own credentials are in headers and do not need it. Default: false.
   */
  readonly credentials?: boolean;
}

/** The request headers that CORS headers depend on. */
interface CorsRequestHeaders {
  readonly origin?: string | undefined;
  readonly 'access-control-request-headers'?: string | undefined;
}

/** The APIs that browsers call. */
export type CorsSurface = keyof typeof CORS.allowMethods;

/** The CORS headers for one API. */
export interface Cors {
  /**
   * Returns the headers for responses to an origin. Do not modify the object, because it is shared.
   */
  response(origin: string | undefined): Readonly<Record<string, string>>;
  /**
   * Returns the headers for the 204 response to OPTIONS. They allow the request headers that the page asks
   * for, because only the hosted service knows which headers it accepts.
   */
  preflight(request: CorsRequestHeaders): Readonly<Record<string, string>>;
  /** Whether pages from this origin may open WebSockets, to which browsers do not apply CORS headers. */
  readonly allows: (origin: string) => boolean;
}

/**
 * Creates the CORS headers for one API.
 *
 * D11: allowed origins are configured, and default to `*` without credentials. Unlisted origins never get
 * credentials.
 *
 * @throws TypeError if credentials are combined with `*`, or if an origin is not in the form that browsers send
 */
export function createCors(
  surface: CorsSurface,
  { storageHeaders, gatewayHeaders }: WireProfile,
  { origins = CORS.allowOrigin, credentials = false }: CorsOptions = {},
): Cors {
  if (origins === '*' && credentials) {
    throw new TypeError(
      'cors.credentials requires a list of cors.origins, because * allows every site.',
    );
  }
  const names: Record<string, readonly string[]> = {
    profile: Object.values(storageHeaders),
    upstreamStatus: [gatewayHeaders.upstreamStatus],
  };
  const toNames = (entries: readonly string[]) => entries.flatMap((entry) => names[entry] ?? entry);
  const exposed = { 'access-control-expose-headers': toNames(CORS.exposeHeaders).join(', ') };
  const allowHeaders = toNames(CORS.allowHeaders);
  const preflight = {
    'access-control-allow-methods': CORS.allowMethods[surface].join(', '),
    'access-control-allow-headers': allowHeaders.join(', '),
    'access-control-max-age': String(CORS.maxAge),
  };
  const toPair = (origin: Record<string, string>) => ({
    response: { ...origin, ...exposed },
    preflight: { ...origin, ...preflight },
  });

  const all = toPair({ 'access-control-allow-origin': '*' });
  const unlisted = toPair({ vary: 'Origin' });
  const toListed = (origin: string) => toPair(allow(origin, credentials));
  const byOrigin = new Map(
    Array.isArray(origins) ? origins.map((origin) => [assertOrigin(origin), toListed(origin)]) : [],
  );
  const allows = (origin: string) =>
    origins === '*' || (typeof origins === 'function' ? origins(origin) : byOrigin.has(origin));
  const pairOf = (origin: string | undefined) => {
    if (origins === '*') return all;
    if (origin === undefined || !allows(origin)) return unlisted;
    return byOrigin.get(origin) ?? toListed(origin);
  };
  return {
    response: (origin) => pairOf(origin).response,
    preflight: ({ origin, 'access-control-request-headers': requested = '' }) => ({
      ...pairOf(origin).preflight,
      'access-control-allow-headers': addRequested(allowHeaders, requested).join(', '),
    }),
    allows,
  };
}

/** RFC 9110, section 5.1: a field name is a token. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/**
 * Adds the names in `Access-Control-Request-Headers` to the names that every page may send. A long list is
 * ignored, so that a response does not grow with its request.
 */
function addRequested(allowed: readonly string[], requested: string): readonly string[] {
  const max = CORS.maxRequestedHeaders;
  const names = requested.split(',', max.names + 1).map((name) => name.trim());
  if (requested.length > max.characters || names.length > max.names) return allowed;
  const known = new Map(allowed.map((name) => [name.toLowerCase(), name]));
  for (const name of names) {
    const key = name.toLowerCase();
    if (FIELD_NAME.test(name) && !known.has(key)) known.set(key, name);
  }
  return [...known.values()];
}

function allow(origin: string, credentials: boolean): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    vary: 'Origin',
  };
}

function assertOrigin(origin: string): string {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  throw new TypeError(`cors.origins: ${origin} is not an origin such as https://app.example.com.`);
}

interface Asked {
  readonly request: {
    readonly method?: string | undefined;
    readonly headers: CorsRequestHeaders;
  };
}

/**
 * D11: OPTIONS is the CORS preflight (204), even for unknown paths. Otherwise, browsers could not read the
 * error that the actual call returns.
 */
export function toPreflight(
  { kind }: HttpError,
  { request }: Asked,
  cors: Cors,
): HandlerResponse | undefined {
  if (request.method !== 'OPTIONS') return undefined;
  if (kind !== 'method-not-allowed' && kind !== 'not-found') return undefined;
  const headers = cors.preflight(request.headers);
  return { status: 204, headers: { ...headers, allow: headers['access-control-allow-methods'] } };
}
