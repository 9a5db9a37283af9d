import { MalformedSignature } from './malformed-signature.ts';

/** Fields of a signature, by their names on the wire. */
const FIELDS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp', 'Token'] as const;

export type Field = (typeof FIELDS)[number];

/** Far beyond any real signature; Node's own limit for all headers is 16 KiB. */
const MAX_LENGTH = 8192;

/**
 * Reads `name=value` pairs apart. D16: a verifier "accepts a missing space after commas"; signers in use
 * differ in the order as well. A field that stands twice is refused: two readers could each take another.
 *
 * @throws MalformedSignature
 */
export function parseFields(text: string): ReadonlyMap<Field, string> {
  if (text.length > MAX_LENGTH) {
    throw new MalformedSignature(`The signature is longer than ${MAX_LENGTH} characters.`);
  }
  const fields = new Map<Field, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    const field = FIELDS.find((known) => known === name);
    if (field === undefined) {
      throw new MalformedSignature(
        `The signature must be a list of fields like ${FIELDS[0]}=…, separated by commas; the known ones are ${FIELDS.join(', ')}.`,
      );
    }
    if (fields.has(field)) throw new MalformedSignature(`The signature has ${field}=… twice.`);
    fields.set(field, part.slice(at + 1).trim());
  }
  return fields;
}
