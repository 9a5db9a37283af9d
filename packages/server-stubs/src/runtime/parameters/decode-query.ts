import { decodeText } from '../matching/decode-text.ts';

/** Decodes a name or a value of a query; a plus is a space there, as HTML forms write it. */
export function decodeQuery(raw: string): string | undefined {
  return decodeText(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}
