/** Callers choose the texts, so only this many are remembered, and none that is longer. */
const MAX_TEXTS = 1000;
const MAX_LENGTH = 128;

/** Remembers what a function returns for each text, such as a header name. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (results.size >= MAX_TEXTS) results.clear();
    if (text.length <= MAX_LENGTH) results.set(text, result);
    return result;
  };
}
