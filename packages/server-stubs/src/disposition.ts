import type { IncomingMessage } from 'node:http';
import { create, parse } from 'content-disposition';
import { isUpgrade } from './forwarding.ts';
import { type HeaderValue, memoize } from './runtime/portable/headers.ts';

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
  const isJoined = attachment.replace(QUOTED, '').includes(',');
  return isJoined ? create(parse(attachment).parameters.filename) : attachment.trim();
}

const QUOTED = /"(?:\\.|[^"\\])*(?:"|$)/g;
