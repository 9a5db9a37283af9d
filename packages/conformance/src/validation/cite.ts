/** Maximum length of a cited text, in characters. */
export const MAX_CITED = 200;

/** What follows the part of a longer text that is cited. */
export const CUT = '… (';

/** Formats a text for a message. A long text is truncated, an empty one is quoted, and undefined is `missing`. */
export function cite(text: string | undefined): string {
  if (text === undefined) return 'missing';
  if (text === '') return '""';
  if (text.length <= MAX_CITED) return text;
  return `${text.slice(0, MAX_CITED)}${CUT}${text.length} characters)`;
}

export const show = (value: unknown): string => cite(JSON.stringify(value));
