type JsonObject = Record<string, unknown>;

/** What Prism generates in reasonable time. It would block the mock for seconds, or until its memory is full. */
const LIMITS = {
  minLength: 10_000,
  minItems: 100,
  maxItems: 100,
  minProperties: 100,
  maxProperties: 100,
} as const;

/**
 * Returns a schema without sizes that Prism cannot generate. Samples with a smaller maximum are still valid; for
 * anything else there is a warning.
 *
 * @param repeats how often the arrays and objects around the schema repeat it
 * @param warn called with the keyword and its value
 */
export function limitSizes(
  schema: JsonObject,
  repeats: number,
  warn: (constraint: string) => void,
): JsonObject {
  const limited = { ...schema };
  for (const [keyword, max] of Object.entries(LIMITS)) {
    const value = schema[keyword];
    const limit = Math.max(1, Math.floor(max / repeats));
    if (typeof value !== 'number' || value <= limit) continue;
    limited[keyword] = limit;
    // What only the repetition makes too large is as valid in a smaller array around it.
    if (keyword.startsWith('min') && value > max) warn(`${keyword}: ${value}`);
  }
  const { pattern } = schema;
  if (typeof pattern === 'string' && isTooLong(pattern)) {
    delete limited.pattern;
    warn(`pattern: ${pattern}`);
  }
  return limited;
}

/** Returns how often a schema repeats those of its items and properties. */
export function countRepeats({ minItems, maxItems, minProperties }: JsonObject): number {
  const counts = [minItems, maxItems, minProperties].filter((count) => typeof count === 'number');
  return Math.max(1, ...counts);
}

const PATTERN_PART = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/** How often Prism repeats what a pattern may repeat any number of times, at most. */
const UNLIMITED = 10;

/** Returns whether texts that match a pattern may be longer than Prism should generate. */
export function isTooLong(pattern: string): boolean {
  // The length of each open group, and of the last part.
  const groups = [0];
  let last = 0;
  for (const [part, min, max] of pattern.matchAll(PATTERN_PART)) {
    const group = groups.length - 1;
    const isGroup = part === ')' && group > 0;
    if (part === '(') {
      groups.push(0);
      continue;
    }
    const repeats = part === '*' || part === '+' ? UNLIMITED : Number(max || min);
    if (isGroup) last = groups.pop() as number;
    else if (repeats > 0) last *= repeats;
    else last = 1;
    groups[groups.length - 1] = (groups.at(-1) as number) + last;
  }
  return groups.some((length) => length > LIMITS.minLength);
}
