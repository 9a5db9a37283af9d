import type { DatedRow } from './row.ts';
import { suites } from './suites.ts';

/** The new rows, and the old ones of suites that have no new ones, in the order of the suites. */
export function mergeRows(old: readonly DatedRow[], rows: readonly DatedRow[]): DatedRow[] {
  return suites.flatMap(({ name }) => {
    const own = rows.filter(({ suite }) => suite === name);
    return own.length > 0 ? own : old.filter(({ suite }) => suite === name);
  });
}
