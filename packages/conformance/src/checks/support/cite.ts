const LONGEST = 200;

/** A text in a message: of a long one the beginning, `none` where there is none, and quotes if it is empty. */
export function cite(text: string | undefined): string {
  if (text === undefined) return 'none';
  if (text === '') return '""';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
}
