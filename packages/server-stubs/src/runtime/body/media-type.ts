/** A `Content-Type` taken apart (RFC 9110, section 8.3.1), in lower case. */
export interface MediaType {
  readonly type: string;
  /** Undefined where the header has none. */
  readonly charset: string | undefined;
}

const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i;

export function toMediaType(header: string): MediaType {
  const end = header.indexOf(';');
  if (end < 0) return { type: header.trim().toLowerCase(), charset: undefined };
  const match = CHARSET.exec(header.slice(end));
  const charset = (match?.[1] ?? match?.[2])?.toLowerCase();
  return { type: header.slice(0, end).trim().toLowerCase(), charset };
}

/** Whether a media type falls under one of a document, which may be a range (`text/*`). */
function isWithinRange(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1));
}

/** The content for a media type; the most narrow range wins. */
export function findContent<Content extends { readonly mediaType: string }>(
  content: readonly Content[],
  type: string,
): Content | undefined {
  let best: Content | undefined;
  for (const candidate of content) {
    const range = candidate.mediaType;
    if (range === type) return candidate;
    if (isWithinRange(range, type) && (best === undefined || best.mediaType === '*/*')) {
      best = candidate;
    }
  }
  return best;
}
