import { MIMEType } from 'node:util';

/** The media type of an event stream (HTML, section 9.2). */
export const STREAM = 'text/event-stream';

/** Returns the `type/subtype` of a Content-Type in lower case, without parameters (RFC 9110, section 8.3.1). */
export function toMediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Normalizes a Content-Type (RFC 9110, sections 5.6.6 and 8.3.1): the type, the parameter names and the charset are in
 * lower case, and optional quotes, escapes and spaces are removed. An invalid one is returned as is.
 */
export function toPlainType(contentType: string): string {
  try {
    const { essence, params } = new MIMEType(contentType);
    const parameters = [...params].map(([name, value]) => {
      return `; ${name}=${name === 'charset' ? value.toLowerCase() : value}`;
    });
    return essence + parameters.join('');
  } catch {
    return contentType;
  }
}

/** Returns the types in lower case (RFC 6266). Commas in quoted strings do not separate headers. */
export function listDispositionTypes(headers: readonly string[]): string[] {
  return headers
    .flatMap((header) => header.replaceAll(/"(?:\\.|[^"\\])*"/g, '""').split(','))
    .map((value) => toMediaType(value))
    .filter((type) => type !== '');
}
