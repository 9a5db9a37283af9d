/**
 * The types of Content-Disposition headers (RFC 6266) in lower case. Several may stand in one header; a
 * comma in a quoted string parts nothing.
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
