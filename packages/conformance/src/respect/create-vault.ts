/** Fields of answers whose values a workflow only passes on. */
const OPAQUE = ['url', 'token', 'authorization', 'fileID', 'storeFileID', 'tempFileURL'];

/** Keeps values from Respect, which takes `a.1` in a string for a path and writes `a[1]` instead. */
export interface Vault {
  /** A body with a plain word in place of every value that is only passed on. */
  conceal(value: unknown): unknown;
  /** The value behind a word; any other text as it is. */
  reveal(text: string): string;
  /** The same for every string of a body. */
  revealAll(value: unknown): unknown;
}

export function createVault(): Vault {
  const words = new Map<string, string>();
  const values = new Map<string, string>();
  const toWord = (value: string) => {
    const known = words.get(value);
    if (known) return known;
    const name = `value-${words.size}`;
    const word = URL.canParse(value) && value.startsWith('http') ? `http://${name}.invalid` : name;
    words.set(value, word);
    values.set(word, value);
    return word;
  };
  const conceal = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string')
      return OPAQUE.includes(key) && value !== '' ? toWord(value) : value;
    return mapValues(value, conceal);
  };
  const reveal = (text: string) => values.get(text) ?? text;
  const revealAll = (value: unknown): unknown =>
    typeof value === 'string' ? reveal(value) : mapValues(value, revealAll);
  return { conceal: (value) => conceal(value), reveal, revealAll: (value) => revealAll(value) };
}

function mapValues(value: unknown, map: (value: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, key)]));
}
