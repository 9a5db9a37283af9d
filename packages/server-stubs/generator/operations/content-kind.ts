import type { ContentKind } from '../../src/runtime/route-table.ts';

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJson(mediaType: string): boolean {
  return (
    /^application\/(?:[^;]+\+)?json(?:-[a-z-]+)?\s*(?:;|$)/i.test(mediaType) ||
    /^[^;]+\+json\s*(?:;|$)/i.test(mediaType)
  );
}

/**
 * How a body of a media type is read and written.
 *
 * @param isStructured its schema asks for more than text; then a range such as any type is JSON
 */
export function toContentKind(mediaType: string, isStructured: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJson(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (type.startsWith('multipart/')) return 'multipart';
  if (type.startsWith('*/*') || type.startsWith('application/*')) {
    return isStructured ? 'json' : 'binary';
  }
  if (type.startsWith('text/') || /^application\/(?:.+\+)?xml/.test(type)) return 'text';
  return 'binary';
}
