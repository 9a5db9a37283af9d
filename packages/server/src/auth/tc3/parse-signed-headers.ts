import { MalformedSignature } from './malformed-signature.ts';

/** RFC 9110, section 5.6.2, letters in lower case. */
const NAME = /^[!#$%&'*+.^_`|~\da-z-]+$/;
/** Far more than anybody sends; "some signers sign every header they send". */
const MAX_NAMES = 100;

/**
 * Reads `content-type;host`. D16: names are "lower-cased and sorted", however they were sent.
 *
 * @throws MalformedSignature
 */
export function parseSignedHeaders(text: string): readonly string[] {
  const names = text.toLowerCase().split(';');
  if (names.length > MAX_NAMES || !names.every((name) => NAME.test(name))) {
    throw new MalformedSignature(
      `The field SignedHeaders must be at most ${MAX_NAMES} names of headers, separated by semicolons.`,
    );
  }
  if (new Set(names).size < names.length) {
    throw new MalformedSignature('The field SignedHeaders has a name twice.');
  }
  return names.sort();
}
