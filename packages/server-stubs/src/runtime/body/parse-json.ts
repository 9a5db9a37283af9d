import { findForbiddenKey } from './find-forbidden-key.ts';
import { findRounded, toRounded } from './find-rounded.ts';
import { nestsDeeper } from './nests-deeper.ts';

/** A JSON value, or the end of a sentence that says why there is none. */
export type ParsedJson =
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
