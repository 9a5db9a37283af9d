import type { Piece } from './path-template.ts';

/**
 * Matches a segment such as `{base}...{head}` in linear time: each parameter takes at least one
 * character and ends where the literal after it first stands; the last literal must end the segment.
 *
 * @returns whether it matches; the raw values are then added to `values`
 */
export function matchMixed(pieces: readonly Piece[], segment: string, values: string[]): boolean {
  const count = values.length;
  let at = 0;
  for (let index = 0; index < pieces.length; index += 1) {
    const { name, literal } = pieces[index] as Piece;
    const end = endOf(segment, at, name !== undefined, literal, index === pieces.length - 1);
    if (end < 0) {
      values.length = count;
      return false;
    }
    if (name !== undefined) values.push(segment.slice(at, end));
    at = end + literal.length;
  }
  return true;
}

/** Where the literal begins, or -1. */
function endOf(
  segment: string,
  at: number,
  hasValue: boolean,
  literal: string,
  isLast: boolean,
): number {
  if (!hasValue) return segment.startsWith(literal, at) ? at : -1;
  if (!isLast) return segment.indexOf(literal, at + 1);
  const end = segment.length - literal.length;
  return end > at && segment.endsWith(literal) ? end : -1;
}
