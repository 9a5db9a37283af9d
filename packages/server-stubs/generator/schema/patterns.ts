/** What may be escaped under the `u` flag: ECMA-262, SyntaxCharacter, `/` and the escape letters. */
const NEEDED = /[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtvcxukpP0-9]/;

/** An escape, a quantifier in braces, or a character that is literal only without `u`. */
const TOKEN = /\\[\s\S]|\{\d+(?:,\d*)?\}|[[\]{}]/g;

const POSIX: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  xdigit: 'A-Fa-f0-9',
  word: '\\w',
};

/** What other languages write at the start, `(?i)`. */
const FLAGS = /^(\^?)\(\?([a-z]+)\)/;

/**
 * Converts a pattern so that it compiles with the `u` flag, which Ajv sets. Many documents escape characters
 * that need no escape, do not escape braces, or have patterns of other languages. Returns `undefined` if the
 * pattern cannot be translated.
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern;
  const translated = translate(pattern);
  if (translated === undefined || !compiles(translated, '')) return undefined;
  const strict = toStrict(translated);
  return compiles(strict, 'u') ? strict : undefined;
}

function translate(pattern: string): string | undefined {
  const flags = FLAGS.exec(pattern)?.[2] ?? '';
  if (/[^isu]/.test(flags)) return undefined;
  const text = pattern
    .replace(FLAGS, '$1')
    .replace(/\(\?P(?=<)/g, '(?')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\[:(\w+):\]/g, (all, name: string) => POSIX[name] ?? all)
    .replace(/\\([\s\S])/g, (all, letter: string) => {
      if (letter === 'A') return '^';
      return letter === 'Z' || letter === 'z' ? '$' : all;
    });
  const dotted = flags.includes('s') ? withAnyDots(text) : text;
  return flags.includes('i') ? ignoreCase(dotted) : dotted;
}

/** An escape, the name of a group, or a single character. */
const PIECE = /\\(?:[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\(\?<[A-Za-z_]\w*>|[\s\S]/g;

function withAnyDots(pattern: string): string {
  return mapPieces(pattern, (piece, inClass) => (piece === '.' && !inClass ? '[\\s\\S]' : piece));
}

/** Returns the pattern for both cases of ASCII letters, or `undefined` if it may contain other letters. */
function ignoreCase(pattern: string): string | undefined {
  if (/[^\0-\x7f]|\\[xucpP]/.test(pattern)) return undefined;
  const ranges = /([A-Za-z])-([A-Za-z])/g;
  return mapPieces(pattern, (piece, inClass) => {
    if (!/^[A-Za-z]$/.test(piece)) return piece;
    const both = `${piece.toLowerCase()}${piece.toUpperCase()}`;
    return inClass ? piece : `[${both}]`;
  }).replace(/\[(?:\\[\s\S]|[^\]\\])*\]/g, (each) => {
    if (/^\[([a-z])([A-Z])\]$/.test(each)) return each;
    const inner = each.slice(1, -1);
    const folded = [...inner.matchAll(ranges)].map(([, from = '', to = '']) => {
      return from >= 'a' === to >= 'a' ? `${swap(from)}-${swap(to)}` : 'A-Za-z';
    });
    const single = inner
      .replace(/\\[\s\S]/g, '')
      .replace(ranges, '')
      .replace(/[^A-Za-z]/g, '');
    return `[${inner}${folded.join('')}${[...single].map(swap).join('')}]`;
  });
}

function swap(letter: string): string {
  return letter >= 'a' ? letter.toUpperCase() : letter.toLowerCase();
}

function mapPieces(pattern: string, map: (piece: string, inClass: boolean) => string): string {
  let inClass = false;
  return pattern.replace(PIECE, (piece) => {
    const mapped = map(piece, inClass);
    if (piece === '[') inClass = true;
    if (piece === ']') inClass = false;
    return mapped;
  });
}

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
