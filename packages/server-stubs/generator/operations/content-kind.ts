import type { ContentKind } from '../../src/runtime/route-table.ts';

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJson(mediaType: string): boolean {
  return (
    /^application\/(?:[^;]+\+)?json(?:-[a-z-]+)?\s*(?:;|$)/i.test(mediaType) ||
    /^[^;]+\+json\s*(?:;|$)/i.test(mediaType)
  );
}

/**
 * Returns how to read and write bodies of a media type.
 *
 * @param isStructured whether the schema allows more than text, so that a range of media types means JSON
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
