import type { IncomingMessage } from 'node:http';
import { headerOf } from '../runtime/decoding.ts';
import { type Headers, type HeaderValue, isUpgrade, mediaTypeOf } from './headers.ts';

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
