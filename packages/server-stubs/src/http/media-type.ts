/** The media type of a `Content-Type` in lower case, without its parameters (RFC 9110, section 8.3.1). */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
