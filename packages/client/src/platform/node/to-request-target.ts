/**
 * Path and query of an address as they stand there. "Clients post to the returned `url` verbatim, its
 * path and query included" (D2): a parsed URL would resolve and encode parts of them, which a
 * signature may cover. Where they hold what HTTP cannot carry, the parsed form is taken.
 */
export function toRequestTarget(url: string): string {
  const raw = /^[^:/?#]+:\/\/[^/?#]+(\/[!-"$-~]*)(?:#|$)/.exec(url)?.[1];
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
