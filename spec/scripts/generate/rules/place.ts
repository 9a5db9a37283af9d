import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const SPEC = join(import.meta.dirname, '../../..');

/** Whether a place of a rule exists: a pointer into a bundled document, or into a file of `spec`. */
export function isPlace(place: string, documents: Record<string, unknown>): boolean {
  const [target = '', pointer = ''] = place.split('#');
  if (target in documents) return hasPointer(documents[target], pointer);
  const file = join(SPEC, target);
  if (!existsSync(file)) return false;
  return pointer === '' || hasPointer(parse(readFileSync(file, 'utf8')), pointer);
}

/** RFC 6901. */
function hasPointer(value: unknown, pointer: string): boolean {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .every((token) => {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return false;
      value = (value as Record<string, unknown>)[token];
      return true;
    });
}
