const MULTIPART = 'multipart/form-data';

/**
 * A header's value as it is signed. D16: "values trimmed and lower-cased, content-type kept as sent".
 *
 * @example
 * toSignedValue('host', ' Dev.Example '); // 'dev.example'
 */
export function toSignedValue(name: string, value: string): string {
  return name === 'content-type' ? value.trim() : value.trim().toLowerCase();
}

/**
 * The ways in which a Content-Type may have been signed. D16: a verifier "accepts … both multipart
 * spellings", with the boundary and with it cut.
 */
export function toContentTypeSpellings(value: string): readonly string[] {
  const type = value.trim();
  const end = type.indexOf(';');
  if (end < 0) return [type];
  const mediaType = type.slice(0, end).trim();
  return mediaType.toLowerCase() === MULTIPART ? [mediaType, type] : [type];
}
