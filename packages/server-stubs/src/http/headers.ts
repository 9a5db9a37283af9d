import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
// Not imported from the runtime's index, which needs Node.js modules: errors are also used in browsers.
import { type Headers, type HeaderValue, headerOf } from '../runtime/decoding.ts';

export type { Headers, HeaderValue };

/**
 * RFC 9110, section 7.6.1, and `Trailer`, because trailers are dropped too. Those for proxies are meant for
 * the next proxy (section 11.7).
 */
const HOP_BY_HOP = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer
  transfer-encoding upgrade`.split(/\s+/),
);

/** RFC 9110, section 8.3.1: in lowercase and without parameters. */
function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * Removes hop-by-hop headers, and returns the others with lowercase names.
 *
 * RFC 9110, section 7.6.1: "Intermediaries MUST parse a received Connection header field before a message
 * is forwarded and, for each connection-option in this field, remove any header or trailer field(s) from
 * the message with the same name".
 *
 * @param others additional headers to remove, by lowercase name
 */
export function removeHopByHop(
  headers: Headers,
  others?: ReadonlySet<string>,
): Record<string, HeaderValue> {
  const kept: Record<string, HeaderValue> = {};
  const nominated = nominatedBy(headerOf(headers, 'connection'));
  for (const name in headers) {
    const value = headers[name];
    const key = name.toLowerCase();
    if (value === undefined || HOP_BY_HOP.has(key)) continue;
    if (others?.has(key) || nominated?.has(key)) continue;
    kept[key] = value;
  }
  return kept;
}

function nominatedBy(connection: string | undefined): Set<string> | undefined {
  // Fast path: the common values nominate nothing.
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  // Without this header, the body would be lost.
  names.delete('content-length');
  return names;
}

/** Returns whether the headers request a WebSocket (RFC 6455, section 4.1). */
export function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  if (upgrade === undefined || connection === undefined) return false;
  return lists(upgrade, 'websocket') && lists(connection, 'upgrade');
}

function lists(value: string, wanted: string): boolean {
  return value.split(',').some((entry) => entry.trim().toLowerCase() === wanted);
}

/** C2: "Text types are those whose `Content-Type` indicates" one of these. */
const TEXT_TYPES = new Set(['application/json', 'application/x-www-form-urlencoded', 'text/plain']);
const EVENT_STREAM = 'text/event-stream';
const ATTACHMENT = 'attachment';

/** An `attachment` disposition with its parameters (RFC 6266, section 4.1). */
const OWN_ATTACHMENT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
  /^attachment[ \t]*(?:;(?:[^",;\u0000-\u001F\u007F]|"(?:[^"\\\u0000-\u001F\u007F]|\\[^\u0000-\u001F\u007F])*")*)*$/i;

/**
 * Returns the headers of a hosted service's response, with rules C1 to C3 applied to
 * `Content-Disposition`.
 *
 * - C1: every response to a GET (or HEAD) has `attachment`.
 * - C2: every response that is not `application/json`, `application/x-www-form-urlencoded` or `text/plain`
 *   has `attachment`, whatever the method. A response without a `Content-Type` is not considered text.
 * - C3: event streams and WebSocket upgrades have no `Content-Disposition`.
 *
 * A service's own `attachment; filename=…` is kept, and any other disposition is replaced, or removed if
 * no rule requires one (D8).
 *
 * @param request the request, of which only the method and headers are read
 * @param headers response headers, with names in any case
 * @returns the changed headers, as a new object
 *
 * @example
 * response.writeHead(200, applyDispositionRules(request, { 'Content-Type': 'text/html' }));
 */
export function applyDispositionRules(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  headers: Headers,
): Record<string, HeaderValue> {
  const kept: Record<string, HeaderValue> = {};
  const own: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (name.toLowerCase() !== 'content-disposition') kept[name] = value;
    else if (value !== undefined) own.push(...(Array.isArray(value) ? value : [String(value)]));
  }
  if (isAttachment(request, headerOf(headers, 'content-type'))) {
    const attachments = own.map((value) => value.trim());
    kept['content-disposition'] =
      attachments.find((value) => OWN_ATTACHMENT.test(value)) ?? ATTACHMENT;
  }
  return kept;
}

function isAttachment(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  contentType: string | undefined,
): boolean {
  // C3: "SSE and WebSocket requests are exempt from C1 and C2." Pages and links cannot set `Upgrade`, so
  // C1 cannot be bypassed with it.
  if (isUpgrade(headers)) return false;
  // A missing Content-Type counts as not text (D8).
  const type = mediaTypeOf(contentType ?? '');
  // Event streams are exempt, whatever the request accepts (D8).
  if (type === EVENT_STREAM) return false;
  // C1: "For every GET response" `attachment` is added. D8: HEAD too.
  if (method === 'GET' || method === 'HEAD') return true;
  // C2: "For every response whose content is not a text type, the header … is added."
  return !TEXT_TYPES.has(type);
}

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** `127.0.0.0/8`, also as an IPv6 address, and `::1`. */
const LOOPBACK =
  /^(?:localhost|(?:\[?::ffff:)?127(?:\.\d{1,3}){3}\]?|\[?::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]?)$/i;

/**
 * RFC 9112, section 3.2.2: the authority of an absolute-form target takes precedence over `Host`.
 * `undefined` without a host, or with more than one.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  const { url = '' } = request;
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? hostHeaderOf(request);
  if (authority === undefined || !AUTHORITY.test(authority)) return undefined;
  try {
    return new URL(`http://${authority}`).hostname;
  } catch {
    return undefined;
  }
}

/** RFC 9112, section 3.2: a second `Host` is rejected, because two parsers could choose different ones. */
function hostHeaderOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  }
  return count === 1 ? headers.host : undefined;
}

/**
 * Returns whether a host is this machine: `localhost` or a loopback address, with or without brackets.
 *
 * @example
 * isLoopback('[::1]'); // true
 */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
