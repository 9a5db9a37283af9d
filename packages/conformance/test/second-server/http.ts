import type { IncomingMessage } from 'node:http';

/** Raw headers as in `node:http`: name, value, name, value, … */
export type RawHeaders = string[];

/** RFC 9110, section 7.6.1, plus `Trailer`, because trailers are not forwarded. */
const HOP_BY_HOP = [
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'transfer-encoding', 'upgrade'],
  'trailer',
];

/** Returns every value of a header, as received. */
export function valuesOf(raw: RawHeaders, name: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** Returns the headers in order, without those with the given names, in lower case. */
export function without(raw: RawHeaders, names: Iterable<string>): RawHeaders {
  const left = new Set(names);
  return raw.filter((_, at) => !left.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

/** Returns the end-to-end headers: no hop-by-hop headers, and none that `Connection` names. */
export function endToEnd(raw: RawHeaders): RawHeaders {
  const named = valuesOf(raw, 'connection').flatMap((value) => value.split(','));
  return without(raw, [...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())]);
}

/**
 * Reads the complete body; returns `undefined` if it exceeds `most` bytes. Such a body is read to its end and
 * discarded, so that the caller gets its refusal. Rejects if the caller disconnects before the end.
 */
export async function readBody(
  request: IncomingMessage,
  most: number,
): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > most) chunks = [];
    else chunks.push(chunk);
  }
  return size > most ? undefined : Buffer.concat(chunks);
}
