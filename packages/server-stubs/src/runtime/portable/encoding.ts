/** How paths, queries and cookies encode names and values. Works in browsers, where MSW handles calls. */

const ENCODED = /[%\u0080-\uffff]/;
const UNENCODED = /[\u0080-\u00ff]/g;

/**
 * RFC 3986, section 2.1. Also decodes bytes that the client did not percent-encode, which Node.js reads as
 * Latin-1. `undefined` if the encoding is invalid.
 */
export function decodeText(raw: string): string | undefined {
  if (!ENCODED.test(raw)) return raw;
  try {
    return decodeURIComponent(
      raw.replace(UNENCODED, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
    );
  } catch {
    return undefined;
  }
}

/** Decodes a name or value in a query. As in HTML forms, a plus sign means a space. */
export function decodeQuery(raw: string): string | undefined {
  return decodeText(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/** RFC 3986, section 6.2.2.2: percent-encoded unreserved characters are equal to their plain form. */
export function toPlain(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

/** Raw values of a query or form, by decoded name. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/** A name with an invalid encoding is ignored like any unknown name, because no document can contain it. */
export function parseQuery(query: string): QueryValues {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    const key = pair === '' ? undefined : decodeQuery(name);
    if (key === undefined) continue;
    const known = values.get(key);
    if (known) known.push(value.join('='));
    else values.set(key, [value.join('=')]);
  }
  return values;
}

/** Finds the first cookie with a name. Its value is not decoded (RFC 6265, section 5.4). */
export function findCookie(header = '', name = ''): string | undefined {
  for (const pair of header.split(';')) {
    const [sent = '', ...value] = pair.split('=');
    if (value.length === 0 || sent.trim() !== name) continue;
    const text = value.join('=').trim();
    return /^"(.*)"$/.exec(text)?.[1] ?? text;
  }
  return undefined;
}
