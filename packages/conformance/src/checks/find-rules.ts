import { rules } from './rules.ts';

/**
 * The rules that stand at a place of the documents, or above it.
 *
 * @param where document and JSON pointer, `storage.v2 #/components/schemas/StatusCode/type`
 */
export function findRules(where: string): string[] {
  const place = where.replace(' #', '#');
  const isAbove = (other: string) => place === other || place.startsWith(`${other}/`);
  return rules.filter(({ places }) => places.some(isAbove)).map(({ id }) => id);
}
