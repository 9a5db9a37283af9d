/**
 * Returns the `type/subtype` of a Content-Type in lower case, without parameters (RFC 9110, section 8.3.1).
 */
export function toMediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

const PARAMETER = /;\s*([^\s=;]+)=("(?:[^"\\]|\\.)*"|[^\s;]*)/g;

/**
 * Normalizes a Content-Type (RFC 9110, sections 5.6.6 and 8.3.1). The type, the parameter names and the
 * charset are in lower case, and optional quotes, escapes and spaces are removed.
 *
 * @example
 * toPlainType('Text/HTML;Charset="UTF-8"'); // 'text/html; charset=utf-8'
 */
export function toPlainType(contentType: string): string {
  const parameters = [...contentType.matchAll(PARAMETER)].map(([, name = '', value = '']) => {
    const key = name.toLowerCase();
    const text = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
    return `; ${key}=${key === 'charset' ? text.toLowerCase() : text}`;
  });
  return toMediaType(contentType) + parameters.join('');
}

/**
 * Returns whether a Content-Type matches a documented media type or range. Parameters are ignored.
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

/** Returns whether two Content-Types mean the same. */
export function isSameType(one: string | undefined, other: string | undefined): boolean {
  return toPlainType(one ?? '') === toPlainType(other ?? '');
}

/** Returns whether the media type is JSON: `application/json` or a `+json` type (RFC 6839, section 3.1). */
export function isJson(contentType: string): boolean {
  const type = toMediaType(contentType);
  return type === 'application/json' || type.endsWith('+json');
}

/**
 * Returns the types of Content-Disposition headers (RFC 6266) in lower case. One header may contain several;
 * commas in quoted strings do not separate them.
 *
 * @example
 * listDispositionTypes(['Attachment; filename="a, inline"', 'inline']); // ['attachment', 'inline']
 */
export function listDispositionTypes(headers: readonly string[]): string[] {
  return headers
    .map((header) => header.replaceAll(/"(?:\\.|[^"\\])*"/g, '""'))
    .flatMap((header) => header.split(','))
    .map((value) => (value.split(';')[0] ?? '').trim().toLowerCase())
    .filter((type) => type !== '');
}
