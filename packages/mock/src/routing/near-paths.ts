import { distance } from 'fastest-levenshtein';

/** At most this share of a path may differ for another one to count as near. */
const MOST_OFF = 0.4;
/** A template this many edits behind the nearest one is not named beside it. */
const MOST_BEHIND = 2;

/**
 * The templates that a path comes near to, best first: the parameters of a template are filled with
 * the segments of the path, and what remains is compared by edit distance. A doubled slash counts as one.
 *
 * @example
 * nearPaths('/v1/cloudruns/hello', ['/v1/cloudrun/{name}', '/']); // ['/v1/cloudrun/{name}']
 */
export function nearPaths(path: string, templates: readonly string[]): string[] {
  // A longer path is near to nothing, and its edit distance would cost time.
  if (path.length > 300) return [];
  const clean = path.replace(/\/{2,}/g, '/');
  const segments = clean.split('/');
  const candidates = templates
    .map((template) => ({ template, off: distance(clean, fill(template, segments)) }))
    .filter(({ off }) => off <= clean.length * MOST_OFF)
    .sort((a, b) => a.off - b.off);
  const nearest = candidates[0]?.off ?? 0;
  return candidates
    .filter(({ off }) => off <= nearest + MOST_BEHIND)
    .map(({ template }) => template);
}

function fill(template: string, segments: string[]): string {
  return template
    .split('/')
    .map((part, index) => (part.startsWith('{') ? (segments[index] ?? part) : part))
    .join('/');
}
