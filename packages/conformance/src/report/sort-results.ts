import { rules } from '../checks/rules.ts';
import { ENGINES, type Result } from '../result.ts';

const PLACES = new Map(rules.map(({ id }, index) => [id, index]));

/** Results in the order of the contract: rules first, then transactions and workflows by name. */
export function sortResults(results: readonly Result[]): Result[] {
  const place = ({ id }: Result) => PLACES.get(id) ?? PLACES.size;
  return results.toSorted(
    (a, b) =>
      ENGINES.indexOf(a.engine) - ENGINES.indexOf(b.engine) ||
      place(a) - place(b) ||
      a.id.localeCompare(b.id, 'en'),
  );
}
