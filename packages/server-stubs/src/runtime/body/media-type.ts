const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i;

/** In lowercase (RFC 9110, section 8.3.2). */
export function charsetOf(header: string): string | undefined {
  const match = CHARSET.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

function isWithinRange(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1));
}

/** Prefers the same type and parameters, then the same type, and then the narrowest matching range. */
export function findContent<Content extends { readonly mediaType: string }>(
  content: readonly Content[],
  header: string,
): Content | undefined {
  const same = content.find(({ mediaType }) => mediaType === header);
  if (same !== undefined) return same;
  const whole = toComparable(header);
  const type = withoutParameters(whole);
  let named: Content | undefined;
  let best: Content | undefined;
  for (const candidate of content) {
    const documented = toComparable(candidate.mediaType);
    if (documented === whole) return candidate;
    const range = withoutParameters(documented);
    if (range === type) named ??= candidate;
    if (isWithinRange(range, type) && (best === undefined || best.mediaType.startsWith('*/*'))) {
      best = candidate;
    }
  }
  return named ?? best;
}

function toComparable(header: string): string {
  return header.replaceAll(/[\s"]/g, '').toLowerCase();
}

function withoutParameters(header: string): string {
  const end = header.indexOf(';');
  return end < 0 ? header : header.slice(0, end);
}
