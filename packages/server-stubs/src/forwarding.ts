import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { create, parse } from 'content-disposition';
import { createNullObject } from './runtime/portable/encoding.ts';
import { type Headers, type HeaderValue, headerOf, memoize } from './runtime/portable/headers.ts';

/** RFC 9110, section 7.6.1, and `Trailer`, because trailers are dropped too. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Removes hop-by-hop headers, those that `Connection` names (RFC 9110, section 7.6.1), and `withheld`. Names
 * become lowercase.
 */
export function removeHopByHop(
  headers: Headers,
  withheld: ReadonlySet<string>,
  canonicalize = toLowerCase,
): Record<string, HeaderValue> {
  // Any token is a name, even `__proto__`.
  const kept = createNullObject<HeaderValue>();
  const nominated = nominatedBy(headerOf(headers, 'connection'));
  for (const name in headers) {
    const value = headers[name];
    const canonical = canonicalize(name);
    if (value === undefined || HOP_BY_HOP.has(canonical) || withheld.has(canonical)) continue;
    const key = toLowerCase(name);
    if (!nominated?.has(key)) kept[key] = value;
  }
  return kept;
}

/** Headers that are not forwarded to services, in any spelling. */
const WITHHELD = new Set([
  // A service that sees the credentials could call the others on the caller's behalf.
  'authorization',
  // The router handles this header, and some HTTP clients refuse to send it.
  'expect',
  // The gateway sets it (D9).
  'x-request-id',
]);

/** Returns the headers that a service gets, by lowercase name. */
export function toServiceHeaders(
  headers: Headers,
  requestId: string,
): Record<string, string | string[]> {
  const kept = removeHopByHop(headers, WITHHELD, toCanonicalName);
  kept['x-request-id'] = requestId;
  return kept as Record<string, string | string[]>;
}

/** Returns whether no service gets a header. @param canonical its name, from `toCanonicalName` */
export function isWithheld(canonical: string): boolean {
  return HOP_BY_HOP.has(canonical) || WITHHELD.has(canonical);
}

/** Callers use few names, so each is converted only once. */
const toLowerCase = memoize((name) => name.toLowerCase());

/** CGI and WSGI read `X_Real_IP` and `X-Real-IP` as the same name, so underscores count as hyphens. */
export const toCanonicalName = memoize((name) => name.toLowerCase().replaceAll('_', '-'));

/** Returns the end-to-end headers that `Connection` names, which are then not forwarded, in lowercase. */
export function nominatedBy(connection: string | undefined): Set<string> | undefined {
  // Fast path: the common values nominate nothing.
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = new Set(splitList(connection));
  // Without this header, the body would be lost.
  names.delete('content-length');
  return names;
}

/** Returns whether `Connection` names an end-to-end header, which is then not forwarded. */
export function isNominated({ connection }: IncomingHttpHeaders, name: string): boolean {
  return !HOP_BY_HOP.has(name) && nominatedBy(connection)?.has(name) === true;
}

function splitList(value: string): string[] {
  return value.split(',').map((entry) => entry.trim().toLowerCase());
}

export function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  if (upgrade === undefined || connection === undefined) return false;
  return splitList(upgrade).includes('websocket') && splitList(connection).includes('upgrade');
}

type Request = Pick<IncomingMessage, 'headers'> & { readonly method?: string | undefined };

/**
 * Applies rules C1 to C3 to the `Content-Disposition` of a response. A service's own `attachment; filename=…` is kept,
 * and any other disposition is replaced, or removed if no rule requires one (D8).
 *
 * @param headers by lowercase name. They are changed
 */
export function applyDispositionRules(
  request: Request,
  headers: Record<string, HeaderValue>,
): void {
  const sent = headers['content-disposition'];
  if (!needsAttachment(request, String(headers['content-type'] ?? ''))) {
    delete headers['content-disposition'];
  } else {
    headers['content-disposition'] =
      sent === undefined ? 'attachment' : toAttachment([sent].flat().map(String));
  }
}

/** C2: "Text types are those whose `Content-Type` indicates" one of these. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function needsAttachment({ method, headers }: Request, contentType: string): boolean {
  // C3: "SSE and WebSocket requests are exempt from C1 and C2." Pages and links cannot set `Upgrade`, so
  // C1 cannot be bypassed with it.
  if (isUpgrade(headers)) return false;
  const type = toType(contentType);
  // Event streams are exempt, whatever the request accepts (D8).
  if (type === 'text/event-stream') return false;
  // C1: "For every GET response" `attachment` is added. D8: HEAD too.
  if (method === 'GET' || method === 'HEAD') return true;
  // C2: "For every response whose content is not a text type, the header … is added."
  return !TEXT_TYPES.includes(type);
}

/** RFC 9110, section 8.3.1: compared in lowercase and without parameters. */
const toType = memoize((contentType) => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');

function toAttachment(sent: readonly string[]): string {
  const attachment = sent.find((value) => parse(value).type === 'attachment');
  if (attachment === undefined) return 'attachment';
  // HTTP libraries join headers with commas, so an `inline` may follow: only the file name is kept.
  const isJoined = attachment.replace(/"(?:\\.|[^"\\])*(?:"|$)/g, '').includes(',');
  if (!isJoined) return attachment.trim();
  // An extended value cannot contain a comma (RFC 8187, section 3.2.1).
  const first = attachment.replace(/(\*=[^",;]*),.*$/, '$1');
  return create(parse(first).parameters.filename);
}
