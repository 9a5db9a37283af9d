import type { Documented } from './list-documented.ts';
import { matchesMediaType } from './media-type.ts';

/**
 * The documented answers that an answer with this status belongs to: those of the exact status, else
 * of the range (`4XX`), else `default` (OpenAPI 3.1.1, section 4.8.16).
 */
export function findByStatus(documented: Documented[], status: number): Documented[] {
  const range = `${Math.floor(status / 100)}XX`;
  for (const key of [String(status), range, 'default']) {
    const found = documented.filter((entry) => entry.status === key);
    if (found.length > 0) return found;
  }
  return [];
}

/** The one of them whose content type fits best: an exact type before a range such as `*` + `/*`. */
export function findByContentType(
  documented: Documented[],
  contentType: string | undefined,
): Documented | undefined {
  if (contentType === undefined) return documented.find((entry) => entry.contentType === undefined);
  return documented
    .filter((entry) => entry.contentType && matchesMediaType(contentType, entry.contentType))
    .sort((a, b) => stars(a) - stars(b))[0];
}

function stars({ contentType = '' }: Documented): number {
  return contentType.split('*').length;
}
