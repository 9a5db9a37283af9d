/**
 * Decodes percent-encoding as UTF-8 (RFC 3986, section 2.1). Bytes that the client should have encoded
 * and did not, which Node gives as Latin-1, are decoded too.
 *
 * @returns undefined where the encoding is broken
 */
export function decodeText(raw: string): string | undefined {
  if (!isEncoded(raw)) return raw;
  try {
    return decodeURIComponent(raw.replace(UNENCODED, toPercent));
  } catch {
    return undefined;
  }
}

/** Whether a text may differ from what it stands for. */
export function isEncoded(raw: string): boolean {
  return ENCODED.test(raw);
}

const ENCODED = /[%\u0080-\uffff]/;
const UNENCODED = /[\u0080-\u00ff]/g;

function toPercent(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16)}`;
}
