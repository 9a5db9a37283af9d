/** A string, or a number as JSON writes it; an open string ends with the text, which keeps the search linear. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;

/** 2^53 has 16 digits. */
const LONG = /\d{16}/;

/** An integer of more digits is beyond every number. */
const MOST_DIGITS = 309;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A JSON value, or the end of a sentence that says why there is none. */
type ParsedJson =
  | { readonly problem: undefined; readonly value: unknown }
  | { readonly problem: string };

/**
 * Parses JSON that comes from outside: refuses nesting beyond `maxDepth` before it is parsed, the
 * keys by which a careless copy of the value would change prototypes (CWE-1321), and integers that would
 * be rounded.
 */
export function parseJson(text: string, maxDepth: number): ParsedJson {
  if (nestsDeeper(text, maxDepth)) return tooDeep(maxDepth);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `cannot be parsed: ${(error as Error).message}` };
  }
  const rounded = findRounded(text);
  if (rounded !== undefined) return { problem: toRounded(rounded) };
  return isSuspicious(text) ? checkKeys(value) : { problem: undefined, value };
}

/**
 * Whether a text may have one of the forbidden keys, `__proto__` and `prototype`, maybe written with
 * escapes. Bodies with neither are searched fast.
 */
function isSuspicious(text: string): boolean {
  return text.includes('proto') || text.includes('\\');
}

/** The same checks for a value that a body parser before the router has parsed. */
export function checkParsedJson(value: unknown, maxDepth: number): ParsedJson {
  return isDeeper(value, maxDepth) ? tooDeep(maxDepth) : checkKeys(value);
}

function checkKeys(value: unknown): ParsedJson {
  const key = findForbiddenKey(value);
  return key === undefined
    ? { problem: undefined, value }
    : { problem: `has the forbidden key ${key}` };
}

function tooDeep(maxDepth: number): ParsedJson {
  return { problem: `nests deeper than ${maxDepth} levels` };
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}

/**
 * A key of a parsed JSON value that reaches a prototype: `__proto__`, or `constructor` with `prototype`
 * inside. The value must not nest deeper than the stack allows.
 */
function findForbiddenKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return findInList(value);
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  if (Object.hasOwn(value, 'constructor') && hasPrototype(value.constructor)) return 'constructor';
  return findInList(Object.values(value));
}

function findInList(list: readonly unknown[]): string | undefined {
  for (const item of list) {
    const key = findForbiddenKey(item);
    if (key !== undefined) return key;
  }
  return undefined;
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** Whether a text is an integer that a number cannot hold as it is: beyond 2^53, most are rounded. */
export function isRounded(text: string): boolean {
  if (text.length < 16 || !INTEGER.test(text)) return false;
  if (text.length > MOST_DIGITS + 1) return true;
  const value = Number(text);
  return !Number.isFinite(value) || BigInt(text) !== BigInt(value);
}

/** The first integer of a JSON text that `JSON.parse` would round, as it is written. */
function findRounded(json: string): string | undefined {
  if (!LONG.test(json)) return undefined;
  for (const [token] of json.matchAll(TOKEN)) if (isRounded(token)) return token;
  return undefined;
}

/** The end of a sentence that refuses it. */
export function toRounded(integer: string): string {
  const shown = integer.length > 40 ? `${integer.slice(0, 40)}…` : integer;
  return `has the integer ${shown}, which a number cannot hold`;
}

/**
 * Whether a JSON text nests deeper than `maxDepth`, found without parsing it. Text that is no JSON may
 * get either verdict.
 */
function nestsDeeper(text: string, maxDepth: number): boolean {
  // Most bodies have fewer brackets than levels allowed, and searching for them is fast.
  const left = maxDepth - countUpTo(text, '{', maxDepth + 1);
  if (left >= 0 && countUpTo(text, '[', left + 1) <= left) return false;
  return deepestOf(text, maxDepth) > maxDepth;
}

function countUpTo(text: string, character: string, enough: number): number {
  let count = 0;
  let at = text.indexOf(character);
  while (at >= 0 && count < enough) {
    count += 1;
    at = text.indexOf(character, at + 1);
  }
  return count;
}

/** Deepest level of the text; stops at the first beyond `enough`. */
function deepestOf(text: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && deepest <= enough; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return deepest;
}

/** Place of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}
