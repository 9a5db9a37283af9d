/**
 * A pattern that compiles with the `u` flag, which Ajv and the generated validators set. Documents
 * often escape characters that need no escape (`\-`, `\_`, `\@`), and leave braces bare: such escapes
 * are dropped, such braces escaped.
 *
 * @returns `undefined` where the pattern is no regular expression even so
 *
 * @example
 * toUnicodePattern(String.raw`^a\-b$`); // '^a-b$'
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern;
  if (!compiles(pattern, '')) return undefined;
  const strict = toStrict(pattern);
  return compiles(strict, 'u') ? strict : undefined;
}

/** What may be escaped under the `u` flag: ECMA-262, SyntaxCharacter, `/` and the escape letters. */
const NEEDED = /[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtvcxukpP0-9]/;

/** An escape, a quantifier in braces, or a character that stands for itself only without `u`. */
const TOKEN = /\\[\s\S]|\{\d+(?:,\d*)?\}|[[\]{}]/g;

function toStrict(pattern: string): string {
  let inClass = false;
  return pattern.replace(TOKEN, (token) => {
    const wasInClass = inClass;
    if (token === '[') inClass = true;
    if (token === ']') inClass = false;
    if (token.startsWith('\\')) {
      const character = token.slice(1);
      return NEEDED.test(character) || (inClass && character === '-') ? token : character;
    }
    const isBare = token === '{' || token === '}' || token === ']';
    return isBare && !wasInClass ? `\\${token}` : token;
  });
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
