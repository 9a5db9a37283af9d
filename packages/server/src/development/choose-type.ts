/** Media types that the demo service speaks. */
const TYPES = ['application/json', 'text/plain', 'text/event-stream'] as const;

/**
 * The type that a caller names first in `Accept`, weights left aside; JSON where it names none of ours.
 * Many clients list every type that they can read.
 */
export function chooseType(accept = ''): (typeof TYPES)[number] {
  const named = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const first = named.find((name) => TYPES.some((type) => type === name));
  return TYPES.find((type) => type === first) ?? 'application/json';
}
