/**
 * The value of a header that holds a credential, without the spaces around it. The error of the
 * platform would quote the value; this one does not.
 *
 * @throws TypeError where the value holds characters that no header may carry (RFC 9110, section 5.5)
 */
export function toHeaderValue(name: string, value: string): string {
  const text = value.trim();
  if (!/[^\t -~\x80-\xff]/.test(text)) return text;
  throw new TypeError(`${name} has characters that no header may have.`);
}
