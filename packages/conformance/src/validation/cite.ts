const LONGEST = 200;

/**
 * Formats a text for a message. A long text is truncated, an empty one is quoted, and an absent one is
 * `none`.
 */
export function cite(text: string | undefined): string {
  if (text === undefined) return 'none';
  if (text === '') return '""';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
}

/** Formats a value for a message: `7` for a number, `"7"` for a string, and `none` for an absent value. */
export function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value).slice(0, 100);
}
