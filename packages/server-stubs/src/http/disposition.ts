import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
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

type Next = (error?: unknown) => void;

type GivenHeaders = OutgoingHttpHeaders | readonly string[];

/**
 * Creates middleware that applies rules C1 to C3 to every response, for your own proxy in Express or on
 * `node:http`. Mount it before the handlers that respond. This package's routers apply the rules by
 * themselves.
 *
 * @see applyDispositionRules for the rules
 *
 * @example
 * app.use('/v1/cloudrun', dispositionRules(), myProxy);
 */
export function dispositionRules() {
  return (request: IncomingMessage, response: ServerResponse, next: Next): void => {
    const writeHead = response.writeHead;
    response.writeHead = (status: number, ...rest: unknown[]) => {
      const reason = typeof rest[0] === 'string' ? rest[0] : undefined;
      adopt(response, (reason === undefined ? rest[0] : rest[1]) as GivenHeaders | undefined);
      const headers = applyDispositionRules(request, response.getHeaders());
      const disposition = headers['content-disposition'];
      if (disposition === undefined) response.removeHeader('content-disposition');
      else response.setHeader('content-disposition', disposition);
      response.writeHead = writeHead;
      return reason === undefined ? response.writeHead(status) : response.writeHead(status, reason);
    };
    next();
  };
}

/** Headers that are passed to `writeHead` take precedence over those set earlier. */
function adopt(response: ServerResponse, given: GivenHeaders = {}): void {
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    return;
  }
  const flat: readonly string[] = given.flat();
  for (let at = 0; at < flat.length; at += 2) response.removeHeader(flat[at] as string);
  for (let at = 0; at < flat.length; at += 2) {
    response.appendHeader(flat[at] as string, flat[at + 1] as string);
  }
}
