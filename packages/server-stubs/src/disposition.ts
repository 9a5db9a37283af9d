import type { IncomingHttpHeaders } from 'node:http';
import { create, parse } from 'content-disposition';
import { type Headers, type HeaderValue, isUpgrade } from './headers.ts';
import { headerOf } from './runtime/media-types.ts';
import { memoize } from './runtime/memoize.ts';

/**
 * Applies rules C1 to C3 to the `Content-Disposition` of a hosted service's response. A service's own
 * `attachment; filename=…` is kept, and any other disposition is replaced, or removed if no rule requires one (D8).
 *
 * @example
 * response.writeHead(200, applyDispositionRules(request, { 'Content-Type': 'text/html' }));
 */
export function applyDispositionRules(
  request: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
  headers: Headers,
): Record<string, HeaderValue> {
  const kept: Record<string, HeaderValue> = {};
  const sent: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (name.toLowerCase() !== 'content-disposition') kept[name] = value;
    else if (value !== undefined) sent.push(...[value].flat().map(String));
  }
  const disposition = toDisposition(request, headerOf(headers, 'content-type'), sent);
  if (disposition !== undefined) kept['content-disposition'] = disposition;
  return kept;
}

/**
 * Returns the disposition that a response needs: the service's own attachment, or a new one.
 *
 * @param sent what the service sent
 */
export function toDisposition(
  request: Parameters<typeof applyDispositionRules>[0],
  contentType: string | undefined,
  sent: HeaderValue,
): string | undefined {
  if (!needsAttachment(request, contentType)) return undefined;
  if (sent === undefined) return 'attachment';
  return toAttachment([sent].flat().map(String));
}

/** C2: "Text types are those whose `Content-Type` indicates" one of these. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function needsAttachment(
  { method, headers }: Parameters<typeof applyDispositionRules>[0],
  contentType = '',
): boolean {
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
  return attachment.includes(',')
    ? create(parse(attachment).parameters.filename)
    : attachment.trim();
}
