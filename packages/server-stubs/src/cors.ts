import type { IncomingHttpHeaders } from 'node:http';
import type { WireProfile } from '@berth/spec/wire-profile';
import { CORS } from './generated/contract.gen.ts';
import { TOKEN } from './runtime/portable/headers.ts';
import { assertNames, namesOf } from './runtime/portable/user-input.ts';

/** CORS options. */
export interface CorsOptions {
  /**
   * Origins whose pages may read responses: `*`, a list such as `https://app.example.com`, or a function that decides
   * for an origin. Default: `*`.
   */
  readonly origins?: '*' | readonly string[] | ((origin: string) => boolean);
  /** Whether listed origins may send cookies and HTTP authentication. Default: false. */
  readonly credentials?: boolean;
}

type HeadersByName = Readonly<Record<string, string>>;

/** The CORS headers for one API. */
export type Cors = ReturnType<typeof createCors>;

/**
 * Creates the CORS headers for one API.
 *
 * @throws TypeError if credentials are combined with `*`, or if `origins` has the wrong type, or contains an origin
 *   that is not in the form that browsers send
 */
export function createCors(
  surface: keyof typeof CORS.allowMethods,
  { storageHeaders, gatewayHeaders }: WireProfile,
  options: CorsOptions = {},
) {
  assertNames('cors', options, namesOf<CorsOptions>({ origins: true, credentials: true }));
  const { origins = CORS.allowOrigin, credentials = false } = options;
  if (origins === '*' && credentials) {
    throw new TypeError(
      'cors.credentials requires a list of cors.origins, because * allows every site.',
    );
  }
  if (Array.isArray(origins)) origins.forEach(assertOrigin);
  else if (origins !== '*' && typeof origins !== 'function') {
    throw new TypeError('cors.origins must be *, a list of origins, or a function.');
  }
  const placeholders: Readonly<Record<string, readonly string[]>> = {
    profile: Object.values(storageHeaders),
    upstreamStatus: [gatewayHeaders.upstreamStatus],
  };
  const expand = (names: readonly string[]) => names.flatMap((name) => placeholders[name] ?? name);
  const exposed = { 'access-control-expose-headers': expand(CORS.exposeHeaders).join(', ') };
  const allowHeaders = expand(CORS.allowHeaders);
  const anyOrigin = { 'access-control-allow-origin': '*', ...exposed };

  function allows(origin: string): boolean {
    if (origins === '*') return true;
    // A promise, which JavaScript may return, allows nothing.
    return typeof origins === 'function' ? origins(origin) === true : origins.includes(origin);
  }

  function toOriginHeaders(origin: string | undefined): HeadersByName {
    if (origins === '*') return { 'access-control-allow-origin': '*' };
    if (origin === undefined || !allows(origin)) return { vary: 'Origin' };
    const headers = { 'access-control-allow-origin': origin, vary: 'Origin' };
    return credentials ? { ...headers, 'access-control-allow-credentials': 'true' } : headers;
  }

  return {
    /** Whether pages from this origin may open WebSockets, to which browsers do not apply CORS headers. */
    allows,
    /** Returns the headers for responses to an origin. */
    response: (origin: string | undefined): HeadersByName =>
      origins === '*' ? anyOrigin : { ...toOriginHeaders(origin), ...exposed },
    /** Returns the headers for the 204 response to OPTIONS, which allow the headers that the page asks for. */
    preflight(headers: IncomingHttpHeaders): HeadersByName {
      const { origin, 'access-control-request-headers': requested = '' } = headers;
      return {
        ...toOriginHeaders(origin),
        'access-control-allow-methods': CORS.allowMethods[surface].join(', '),
        'access-control-allow-headers': addRequested(allowHeaders, requested).join(', '),
        'access-control-max-age': String(CORS.maxAge),
      };
    },
  };
}

function assertOrigin(origin: string): void {
  if (isOrigin(origin)) return;
  throw new TypeError(`cors.origins: ${origin} is not an origin such as https://app.example.com.`);
}

/** Whether browsers may send this text as `Origin`. Apps in a WebView have origins such as `capacitor://localhost`. */
export function isOrigin(text: string): boolean {
  const { protocol, host } = URL.parse(text) ?? {};
  // Not `origin`, which is `null` for schemes that the URL standard does not know.
  return Boolean(host) && text === `${protocol}//${host}`;
}

/** Adds the requested names to those that every page may send, unless the list is long. */
function addRequested(allowed: readonly string[], requested: string): readonly string[] {
  const max = CORS.maxRequestedHeaders;
  const names = requested.split(',', max.names + 1).map((name) => name.trim());
  if (requested.length > max.characters || names.length > max.names) return allowed;
  const namesByKey = new Map(allowed.map((name) => [name.toLowerCase(), name]));
  for (const name of names) {
    const key = name.toLowerCase();
    if (TOKEN.test(name) && !namesByKey.has(key)) namesByKey.set(key, name);
  }
  return [...namesByKey.values()];
}
