import { closest, distance } from 'fastest-levenshtein';

/** Words that differ in more than this share of their letters are not near. */
const MOST_OFF = 0.4;

/** `; did you mean …?` where a known word is near, else a full stop. */
export function suggest(word: string, known: readonly string[]): string {
  const found = closest(word.slice(0, 100), known);
  const isNear = distance(word, found) <= Math.max(word.length, found.length) * MOST_OFF;
  return isNear ? `; did you mean ${found}?` : '.';
}
