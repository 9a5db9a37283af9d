/** Carries a secret whatever its value: the name is kept, the value is redacted. */
const SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer\s+)[\w.~+/=-]+/gi, '$1'],
  [/(berth\.bearer\.)[\w.~+/=-]+/gi, '$1'],
  [/\b(Signature=|Token=)[^\s,"&\\]+/gi, '$1'],
  [/([?&](?:sign|signature|token|x-amz-[\w-]+)=)[^&"\s\\]+/gi, '$1'],
  // Starts at a word boundary; otherwise it would take quadratic time in the length of the line.
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, ''],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, ''],
];

const REDACTED = '[redacted]';

/** Shorter secrets would also match ordinary words and numbers. */
const SHORTEST = 6;

interface Scrubber {
  (text: string): string;
  update(secrets: readonly string[]): void;
}

/**
 * Creates a function that redacts secrets anywhere in a log line: the given secrets, and everything that
 * looks like a token, a signature or a signed link.
 */
export function createScrubber(secrets: readonly string[]): Scrubber {
  let known: RegExp | undefined;
  const update = (next: readonly string[]) => {
    // A line is JSON, which escapes some characters.
    const spelled = next
      .filter(({ length }) => length >= SHORTEST)
      .flatMap((secret) => [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
      ]);
    const texts = [...new Set(spelled)].sort((one, other) => other.length - one.length);
    known = texts.length === 0 ? undefined : new RegExp(texts.map(toPattern).join('|'), 'g');
  };
  update(secrets);
  const scrub = (text: string): string => {
    let clean = known === undefined ? text : text.replace(known, REDACTED);
    for (const [shape, kept] of SHAPES) clean = clean.replace(shape, `${kept}${REDACTED}`);
    return clean;
  };
  return Object.assign(scrub, { update });
}

/** `RegExp.escape` requires Node 24. */
function toPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
