import { GATEWAY_SERVER } from '../generated/contract.gen.ts';
import { wrong } from './options.ts';

/** The first segment that the URL parser takes for another one, in the path before a query. */
const REWRITTEN = /^(?:[^?]*?\/)?((?:\.|%2e){1,2}|[^/?]*\\[^/?]*)(?:[/?]|$)/i;

/** What the URL parser leaves out. */
const DROPPED = /#|\p{Cc}| $/u;

/** Where the gateway is: an environment with the deployment's domain, or a whole base URL. */
export type GatewayAddress =
  | {
      /** Identifier of the environment, the first label of the host name (D12). */
      readonly envId: string;
      /** Domain of the deployment's gateway, such as `gateway.example.com`. */
      readonly gatewayDomain: string;
      readonly baseUrl?: undefined;
    }
  | {
      /** Whole address of the gateway, such as `http://127.0.0.1:4010`. It wins over `envId`. */
      readonly baseUrl: string;
      readonly envId?: string;
      readonly gatewayDomain?: string;
    };

/** The base URL of an address. */
export function toGatewayUrl({ baseUrl, envId, gatewayDomain }: GatewayAddress): string {
  if (baseUrl !== undefined) return baseUrl;
  // Anything but one label would send the credentials to another host.
  if (
    !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(envId ?? '') ||
    !/^[^/]+$/.test(gatewayDomain ?? '')
  ) {
    throw new TypeError('Give baseUrl, or a host as gatewayDomain and one label as envId.');
  }
  return GATEWAY_SERVER.replace('{envId}', envId).replace('{gatewayDomain}', gatewayDomain);
}

/**
 * Refuses an address to which no path can be added, or that `fetch` refuses. An empty one, and one
 * that begins with `/`, is relative to the page of a browser.
 *
 * @throws TypeError that does not repeat what may be a password
 */
export function assertBaseUrl(baseUrl: unknown): asserts baseUrl is string {
  const expected = 'an absolute http(s) URL';
  if (typeof baseUrl !== 'string') throw wrong('baseUrl', expected, baseUrl);
  if (/[?#@]/.test(baseUrl)) {
    throw new TypeError('baseUrl must have no credentials, query or fragment.');
  }
  const isAbsolute = /^https?:/i.test(baseUrl) && URL.canParse(baseUrl);
  if (!isAbsolute && !/^(\/|$)/.test(baseUrl)) {
    throw new TypeError(`baseUrl must be ${expected}, got ${JSON.stringify(baseUrl)}.`);
  }
}

/**
 * A path parameter as it stands in an address: percent-encoded, or as it is where `isRaw`.
 *
 * "A segment that is `.` or `..` after one decoding is 400; the client throws on it" (D3): `fetch`
 * resolves such segments itself (WHATWG URL, section 4.4), which would reach another service.
 *
 * @throws TypeError where it is missing, or where `fetch` would send other bytes than given
 */
export function toSegment(name: string, value: unknown, isRaw = false): string {
  if (value === undefined || value === null || (value === '' && !isRaw)) {
    throw new TypeError(`The path parameter "${name}" is missing.`);
  }
  const text = isRaw ? String(value) : encodeURIComponent(String(value));
  const segment = REWRITTEN.exec(text)?.[1];
  if (segment !== undefined) {
    throw new TypeError(`${name}: fetch would rewrite the segment "${segment}".`);
  }
  const lost = DROPPED.exec(text)?.[0];
  if (lost !== undefined) {
    throw new TypeError(
      `${name}: fetch would drop ${JSON.stringify(lost)}; write it as "${encodeURIComponent(lost)}".`,
    );
  }
  return text;
}

/**
 * A link that `fetch` sends as it was meant. Links "may come unencoded (Chinese, spaces): encode
 * before fetching, without encoding twice". The URL parser encodes what no URL may hold and leaves
 * `%41` alone; here only what it would drop, trim or misread is added: `#`, `\`, a space, and a `%`
 * that begins no escape.
 *
 * @returns the absolute address, or `undefined` where the link is none that `fetch` can be given
 */
export function encodeLink(link: string): string | undefined {
  const encoded = link.replace(/[#\\ ]|%(?![0-9a-f]{2})/gi, encodeURIComponent);
  return isFetchable(encoded) ? new URL(encoded).href : undefined;
}

/**
 * Whether `fetch` sends a request for this address to a server: it is absolute, http or https, and
 * has no user and password, which `fetch` would refuse with an error that quotes them.
 */
export function isFetchable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && !username && !password;
}
