import { Failure } from '../failure.ts';

/**
 * Finds out that two files would go to one place.
 *
 * @throws Failure that names the place
 */
export function assertDistinct(places: readonly string[]): void {
  const seen = new Set<string>();
  for (const place of places) {
    if (seen.has(place)) {
      throw new Failure(`Two of the files would be written to ${place}: copy them one by one.`, 2);
    }
    seen.add(place);
  }
}
