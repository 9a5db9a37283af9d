/** Headers as `node:http` has them raw: name, value, name, value, … */
export type RawHeaders = string[];

/** RFC 9110, section 7.6.1; and `Trailer`, for trailers are not passed on. */
const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
  'trailer',
];

/** The values of every header of that name, as they came. */
export function valuesOf(raw: RawHeaders, name: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** The headers in their order, without those of the names given in lower case. */
export function without(raw: RawHeaders, names: Iterable<string>): RawHeaders {
  const left = new Set(names);
  return raw.filter((_, at) => !left.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

/** The headers that go from end to end: no hop-by-hop header, and none that `Connection` names. */
export function endToEnd(raw: RawHeaders): RawHeaders {
  const named = valuesOf(raw, 'connection').flatMap((value) => value.split(','));
  return without(raw, [...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())]);
}
