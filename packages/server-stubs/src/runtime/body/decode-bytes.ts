import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

const UTF_8 = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

export function isUtf8Charset(charset: string | undefined): boolean {
  return charset === undefined || UTF_8.has(charset);
}

/** A decoder for any charset of the WHATWG list; `undefined` where it is unknown. */
export function createDecoder(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

/**
 * Bytes as text, without a byte order mark, which RFC 8259, section 8.1 lets a reader ignore.
 *
 * @returns undefined where the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}
