const LONGEST = 200;

/** Stands for a missing value. */
export const MISSING = 'missing';

/** Formats a text for a message. A long text is truncated, an empty one is quoted, and undefined is `missing`. */
export function cite(text: string | undefined): string {
  if (text === undefined) return MISSING;
  if (text === '') return '""';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
}

/** Formats a value for a message: `7` for a number, `"7"` for a string, or `missing`. */
export function show(value: unknown): string {
  return value === undefined ? MISSING : JSON.stringify(value).slice(0, 100);
}
