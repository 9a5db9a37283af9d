/** A string, or a number as JSON writes it. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/** 2^53 has 16 digits. */
const LONG = /\d{16}/;
/** An integer of more digits is beyond every number. */
const MOST_DIGITS = 309;

/** Whether a text is an integer that a number cannot hold as it is: beyond 2^53, most are rounded. */
export function isRounded(text: string): boolean {
  if (text.length < 16 || !INTEGER.test(text)) return false;
  if (text.length > MOST_DIGITS + 1) return true;
  const value = Number(text);
  return !Number.isFinite(value) || BigInt(text) !== BigInt(value);
}

/** The first integer of a JSON text that `JSON.parse` would round, as it is written. */
export function findRounded(json: string): string | undefined {
  if (!LONG.test(json)) return undefined;
  for (const [token] of json.matchAll(TOKEN)) if (isRounded(token)) return token;
  return undefined;
}

/** The end of a sentence that refuses it. */
export function toRounded(integer: string): string {
  const shown = integer.length > 40 ? `${integer.slice(0, 40)}…` : integer;
  return `has the integer ${shown}, which a number cannot hold`;
}
