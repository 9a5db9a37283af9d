import type { Problem } from '../checking/problem.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Where a field stands in the source of a module, as near as its text tells: the keys of its path are
 * looked for one after the other.
 */
export function locateInText(text: string, { path }: Pick<Problem, 'path'>): Place | undefined {
  let from = 0;
  let found: number | undefined;
  for (const key of path) {
    if (typeof key === 'number') continue;
    const escaped = key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const match = new RegExp(`(?<![\\w$])(["'\`]?)${escaped}\\1\\s*[:(,}]`).exec(text.slice(from));
    if (match === null) break;
    found = from + match.index;
    from = found + match[0].length;
  }
  return found === undefined ? undefined : toPlace(text, found);
}

/** @param offset from the beginning of the text */
export function toPlace(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
