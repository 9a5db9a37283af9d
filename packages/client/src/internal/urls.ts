import { GATEWAY_SERVER } from '../generated/contract.gen.ts';
import { wrong } from './options.ts';

/** Finds the first path segment that the URL parser would rewrite. */
const REWRITTEN = /^(?:[^?]*?\/)?((?:\.|%2e){1,2}|[^/?]*\\[^/?]*)(?:[/?]|$)/i;

/** Characters that the URL parser drops. */
const DROPPED = /#|\p{Cc}| $/u;

/** The gateway's address: an environment and the deployment's domain, or a base URL. */
export type GatewayAddress =
  | {
      /** ID of the environment, which is the first label of the host name (D12). */
      readonly envId: string;
      /** Gateway domain of the deployment, such as `gateway.example.com`. */
      readonly gatewayDomain: string;
      readonly baseUrl?: undefined;
    }
  | {
      /** Gateway URL, such as `http://127.0.0.1:4010`. Takes precedence over `envId`. */
      readonly baseUrl: string;
      readonly envId?: string;
      readonly gatewayDomain?: string;
    };

export function toGatewayUrl({ baseUrl, envId, gatewayDomain }: GatewayAddress): string {
  if (baseUrl !== undefined) return baseUrl;
  // If this were more than one label, the credentials would go to another host.
  if (
    !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(envId ?? '') ||
    !/^[^/]+$/.test(gatewayDomain ?? '')
  ) {
    throw new TypeError(
      'Set baseUrl, or set gatewayDomain to a host name and envId to a single host name label.',
    );
  }
  return GATEWAY_SERVER.replace('{envId}', envId).replace('{gatewayDomain}', gatewayDomain);
}

/**
 * Rejects a base URL that `fetch` would reject, or that no path can be appended to. In browsers, an
 * empty URL, or one that starts with `/`, is relative to the page.
 *
 * @throws TypeError whose message never contains a password from the URL
 */
export function assertBaseUrl(baseUrl: unknown): asserts baseUrl is string {
  const expected = 'an absolute http(s) URL';
  if (typeof baseUrl !== 'string') throw wrong('baseUrl', expected, baseUrl);
  if (/[?#@]/.test(baseUrl)) {
    throw new TypeError('baseUrl must not contain credentials, a query or a fragment.');
  }
  const isAbsolute = /^https?:/i.test(baseUrl) && URL.canParse(baseUrl);
  if (!isAbsolute && !/^(\/|$)/.test(baseUrl)) {
    throw new TypeError(`baseUrl must be ${expected}, got ${JSON.stringify(baseUrl)}.`);
  }
}

/**
 * Encodes a path parameter as part of a URL, or leaves it unchanged if `isRaw`.
 *
 * Throws if a segment is `.` or `..` when decoded once. The gateway rejects such segments (D3), but `fetch`
 * would resolve them first (WHATWG URL, section 4.4) and call another service.
 *
 * @throws TypeError if the parameter is missing, or if `fetch` would change its bytes
 */
export function toSegment(name: string, value: unknown, isRaw = false): string {
  if (value === undefined || value === null || (value === '' && !isRaw)) {
    throw new TypeError(`The path parameter "${name}" is missing.`);
  }
  const text = isRaw ? String(value) : encodeURIComponent(String(value));
  const segment = REWRITTEN.exec(text)?.[1];
  if (segment !== undefined) {
    throw new TypeError(
      `${name} must not contain the segment "${segment}", because fetch would rewrite the path.`,
    );
  }
  const lost = DROPPED.exec(text)?.[0];
  if (lost !== undefined) {
    throw new TypeError(
      `${name} must not contain ${JSON.stringify(lost)}, because fetch would drop it: write "${encodeURIComponent(lost)}".`,
    );
  }
  return text;
}

/**
 * Encodes a link so that `fetch` sends it as intended. Links "may come unencoded (Chinese, spaces): encode
 * before fetching, without encoding twice". The URL parser encodes invalid characters by itself and leaves
 * `%41` alone. This function encodes only what the parser would drop, trim or misread: `#`, `\`, a space, and
 * a `%` that does not start an escape.
 *
 * @returns the absolute URL, or `undefined` if `fetch` cannot send the link
 */
export function encodeLink(link: string): string | undefined {
  const encoded = link.replace(/[#\\ ]|%(?![0-9a-f]{2})/gi, encodeURIComponent);
  return isFetchable(encoded) ? new URL(encoded).href : undefined;
}

/**
 * Returns whether `fetch` accepts this URL: it is absolute, uses http or https, and has no user name or
 * password, which `fetch` would quote in an error.
 */
export function isFetchable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && !username && !password;
}
