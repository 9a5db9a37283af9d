/** `type/subtype` of a Content-Type, lower-cased, without parameters (RFC 9110, section 8.3.1). */
export function toMediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Whether a Content-Type fits a documented media type or range. Parameters are tolerated.
 *
 * @example
 * matchesMediaType('application/json; charset=utf-8', 'application/json'); // true
 * matchesMediaType('image/png', 'image/*'); // true
 */
export function matchesMediaType(contentType: string, documented: string): boolean {
  const [type, subtype] = toMediaType(contentType).split('/');
  const [wantedType, wantedSubtype] = toMediaType(documented).split('/');
  return fits(type, wantedType) && fits(subtype, wantedSubtype);
}

function fits(part: string | undefined, wanted: string | undefined): boolean {
  return part !== undefined && part !== '' && (wanted === '*' || part === wanted);
}

/** Whether the media type is JSON: `application/json` or a `+json` type (RFC 6839, section 3.1). */
export function isJson(contentType: string): boolean {
  const type = toMediaType(contentType);
  return type === 'application/json' || type.endsWith('+json');
}
