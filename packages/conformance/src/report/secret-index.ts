import { toSpellings } from './to-spellings.ts';

export const BLANK = '[redacted]';

/** Shorter values would blank ordinary text. It is also how many characters the index looks at. */
const SHORTEST = 4;

/** Finds secrets in text, thousands of them at a time. */
export interface SecretIndex {
  /** Adds a secret in all of its spellings. */
  add(secret: string): void;
  /** Text with every secret blanked, and what they cover together where they overlap. */
  blank(text: string): string;
  /** The same for text that was cut, which may end in the beginning of a secret. */
  blankCut(text: string): string;
}

export function createSecretIndex(): SecretIndex {
  /** Spellings by their first characters. */
  const spellings = new Map<string, string[]>();
  const known = new Set<string>();
  let longest = 0;

  const at = (text: string, place: number) =>
    spellings.get(text.slice(place, place + SHORTEST)) ?? [];

  const blank = (text: string) => {
    let shown = '';
    let end = 0;
    for (let place = 0; place <= text.length - SHORTEST; place += 1) {
      for (const secret of at(text, place)) {
        if (!text.startsWith(secret, place)) continue;
        if (place >= end) shown += text.slice(end, place) + BLANK;
        end = Math.max(end, place + secret.length);
      }
    }
    return end === 0 ? text : shown + text.slice(end);
  };

  return {
    add(secret) {
      for (const spelling of toSpellings(secret)) {
        if (spelling.length < SHORTEST || known.has(spelling)) continue;
        known.add(spelling);
        longest = Math.max(longest, spelling.length);
        const key = spelling.slice(0, SHORTEST);
        const others = spellings.get(key);
        if (others) others.push(spelling);
        else spellings.set(key, [spelling]);
      }
    },
    blank,
    blankCut(text) {
      const first = Math.max(0, text.length - longest);
      for (let place = first; place <= text.length - SHORTEST; place += 1) {
        const rest = text.slice(place);
        if (at(text, place).some((secret) => secret.startsWith(rest))) {
          return blank(text.slice(0, place)) + BLANK;
        }
      }
      return blank(text);
    },
  };
}
