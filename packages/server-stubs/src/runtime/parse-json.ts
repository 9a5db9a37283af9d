/** An unterminated string ends with the text, to keep the search linear. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;

/** 2^53 has 16 digits. */
const LONG_DIGITS = 16;

/** Integers with more digits exceed every number. */
const MOST_DIGITS = 309;

/** Default limit for the depth of arrays and objects. */
export const JSON_DEPTH = 64;

type ParsedJson =
  | { readonly problem: undefined; readonly value: unknown }
  | { readonly problem: string; readonly value?: undefined };

/** Parses untrusted JSON, and rejects integers that would be rounded. */
export function parseJson(text: string, maxDepth: number): ParsedJson {
  // Before parsing, because deep nesting is far more expensive to parse than its size suggests.
  const { isTooDeep, hasLongNumber } = scan(text, maxDepth);
  if (isTooDeep) return { problem: tooDeep(maxDepth) };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `cannot be parsed: ${(error as Error).message}` };
  }
  const rounded = hasLongNumber ? findRounded(text) : undefined;
  // Unless it contains escapes, every forbidden key contains `proto`.
  const isSuspicious = text.includes('proto') || text.includes('\\');
  const forbidden = isSuspicious ? findJsonProblem(value, maxDepth) : undefined;
  const problem = forbidden ?? (rounded && toRounded(rounded));
  return problem === undefined ? { problem, value } : { problem };
}

/** Nesting deeper than `maxDepth`, or a key that enables prototype pollution (CWE-1321). */
export function findJsonProblem(value: unknown, maxDepth: number): string | undefined {
  return findProblem(value, maxDepth, maxDepth);
}

/** @param depth number of remaining levels */
function findProblem(value: unknown, depth: number, maxDepth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return tooDeep(maxDepth);
  if (!Array.isArray(value)) {
    if (Object.hasOwn(value, '__proto__')) return 'contains the forbidden key __proto__';
    if (Object.hasOwn(value, 'constructor') && hasPrototype(value.constructor)) {
      return 'contains the forbidden key constructor';
    }
  }
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    const problem = findProblem(item, depth - 1, maxDepth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tooDeep(maxDepth: number): string {
  return `is nested deeper than ${maxDepth} levels`;
}

interface Scan {
  readonly isTooDeep: boolean;
  readonly hasLongNumber: boolean;
}

/** Outside of strings. The result for invalid JSON is arbitrary. */
function scan(text: string, maxDepth: number): Scan {
  let depth = 0;
  let digits = 0;
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isDigit(text.charCodeAt(at))) {
      digits += 1;
      if (digits === LONG_DIGITS) hasLongNumber = true;
      continue;
    }
    digits = 0;
    if (character === '"') at = endOfString(text, at + 1);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > maxDepth) return { isTooDeep: true, hasLongNumber };
  }
  return { isTooDeep: false, hasLongNumber };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    const isEscaped = (end - before) % 2 === 1;
    if (!isEscaped) return end;
  }
  return text.length;
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** JavaScript rounds most integers beyond 2^53. */
export function isRounded(text: string): boolean {
  if (text.length < 16 || !INTEGER.test(text)) return false;
  if (text.length > MOST_DIGITS + 1) return true;
  const value = Number(text);
  return !Number.isFinite(value) || BigInt(text) !== BigInt(value);
}

function findRounded(json: string): string | undefined {
  for (const [token] of json.matchAll(TOKEN)) if (isRounded(token)) return token;
  return undefined;
}

export function toRounded(integer: string): string {
  const shown = integer.length > 40 ? `${integer.slice(0, 40)}…` : integer;
  return `contains the integer ${shown}, which exceeds the precision of a number`;
}
