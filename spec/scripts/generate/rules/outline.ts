/** A heading with headings below it, or with the short names of its lines. */
export type Outline = { [heading: string]: Outline } | string[];

/**
 * The outline of the API description as a flat list in its order.
 *
 * @example
 * toOutlinePlaces({ Resources: { 'Error body': ['code'] } }); // ['Resources › Error body › code']
 */
export function toOutlinePlaces(outline: Outline): string[] {
  if (Array.isArray(outline)) return outline;
  return Object.entries(outline).flatMap(([heading, below]) =>
    toOutlinePlaces(below).map((place) => `${heading} › ${place}`),
  );
}
