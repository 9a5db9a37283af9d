/**
 * Sets a header that holds a credential. The error of the platform would quote the value, so it is
 * replaced by one that does not.
 *
 * @throws TypeError where the value holds characters that no header may carry (RFC 9110, section 5.5)
 */
export function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new TypeError(`The value for ${name} has characters that no header may have.`);
  }
}
