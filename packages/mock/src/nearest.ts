import { closest, distance } from 'fastest-levenshtein';

/** Words that differ in more than this share of their letters are not near. */
const MOST_OFF = 0.4;

/** The known word that a misspelt one comes near to; undefined where there is none. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > 100) return undefined;
  const found = closest(word, known);
  return distance(word, found) <= Math.max(word.length, found.length) * MOST_OFF
    ? found
    : undefined;
}
