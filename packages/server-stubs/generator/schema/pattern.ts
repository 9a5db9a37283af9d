/**
 * A pattern that compiles with the `u` flag, which Ajv and the generated validators set. Documents
 * often escape characters that need no escape (`\-`, `\_`, `\@`); such escapes are dropped.
 *
 * @returns `undefined` where the pattern is no regular expression even so
 *
 * @example
 * toUnicodePattern('^a\\-b$'); // '^a-b$'
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern;
  if (!compiles(pattern, '')) return undefined;
  const bare = dropNeedlessEscapes(pattern);
  return compiles(bare, 'u') ? bare : undefined;
}

/** What may be escaped under the `u` flag: ECMA-262, SyntaxCharacter, `/` and the escape letters. */
const NEEDED = /[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtvcxukpP0-9]/;

function dropNeedlessEscapes(pattern: string): string {
  let inClass = false;
  return pattern.replace(/\\[\s\S]|[[\]]/g, (token) => {
    if (token === '[') inClass = true;
    if (token === ']') inClass = false;
    if (!token.startsWith('\\')) return token;
    const character = token.slice(1);
    if (NEEDED.test(character) || (inClass && character === '-')) return token;
    return character;
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
