/** The first segment that the URL parser takes for another one, in the path before a query. */
const REWRITTEN = /^(?:[^?]*?\/)?((?:\.|%2e){1,2}|[^/?]*\\[^/?]*)(?:[/?]|$)/i;
/** What the URL parser leaves out. */
const DROPPED = /#|\p{Cc}| $/u;

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
