/** A request target in raw form: nothing decoded, no dot segment removed. */
export interface RequestTarget {
  /** Authority of an absolute-form target, which wins over the `Host` header (RFC 9112, section 3.2.2). */
  authority: string | undefined;
  path: string;
  /** Query string without its `?`; undefined where there is none. */
  query: string | undefined;
}

/**
 * Splits a request target. `URL` is of no use here: it would remove `.` and `..` segments.
 *
 * D3: "The raw bytes after the name, query included, reach the hosted service as they came."
 */
export function parseTarget(target: string): RequestTarget {
  const [, authority, rest = ''] = /^(?:https?:\/\/([^/?]*))?(.*)$/is.exec(target) ?? [];
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return {
    authority,
    path: authority !== undefined && path === '' ? '/' : path,
    query: mark < 0 ? undefined : rest.slice(mark + 1),
  };
}

/** The percent-decoded form of one raw segment; undefined where its encoding is broken. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** D3: "A segment that is `.` or `..` after one decoding". Only `%2e` can become a dot. */
export function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}
