import { MalformedSignature } from './malformed-signature.ts';

const BEYOND_ASCII = /[\u0080-\uffff]/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Text of a request line or header as its sender meant it: Node reads bytes as Latin-1, signers write
 * UTF-8. Other bytes are refused, for different ones would read alike and so share a signature.
 *
 * @throws MalformedSignature
 */
export function decodeWire(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  try {
    return UTF8.decode(Buffer.from(text, 'latin1'));
  } catch {
    throw new MalformedSignature('What is signed must be UTF-8.');
  }
}
