import { decodeQuery } from './decode-query.ts';

/** A name, decoded, and the raw values that came under it. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/**
 * Splits a query by `&` and the first `=`. A name whose encoding is broken cannot be a documented one
 * and is left out, as an unknown name is.
 */
export function parseQuery(query: string): QueryValues {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeQuery(at < 0 ? pair : pair.slice(0, at));
    if (name === undefined) continue;
    const value = at < 0 ? '' : pair.slice(at + 1);
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}
