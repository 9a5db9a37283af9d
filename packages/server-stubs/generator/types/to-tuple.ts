/**
 * A tuple: at least `minimum` items, those of `prefix` first, then any number of `rest`.
 *
 * @example
 * toTuple(['string', 'number'], 'boolean', 1); // '[string, number?, ...boolean[]]'
 */
export function toTuple(
  prefix: readonly string[],
  rest: string | undefined,
  minimum: number,
): string {
  const items = prefix.map((type, index) => (index < minimum ? type : `(${type})?`));
  return `[${[...items, ...(rest === undefined ? [] : [`...${rest}[]`])].join(', ')}]`;
}
