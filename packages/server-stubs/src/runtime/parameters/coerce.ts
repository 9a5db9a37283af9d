import { isRounded, toRounded } from '../body/find-rounded.ts';
import type { ScalarType } from '../route-table.ts';

/** Number as JSON writes it (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Why a text is no value of its parameter: the keyword, and the end of a sentence. */
export class Unreadable {
  readonly keyword: string;
  readonly problem: string;

  constructor(keyword: string, problem: string) {
    this.keyword = keyword;
    this.problem = problem;
  }
}

/**
 * The value that a text of a URL or a header stands for. A text that fits none of the types stays a
 * text, for the schema to refuse.
 *
 * An integer that a number would round is `Unreadable`, unless it may stay a text.
 *
 * @param types the types that the schema allows; `12` is the number 12 only where a number is allowed
 */
export function coerce(text: string, types: readonly ScalarType[]): unknown {
  for (const type of types) {
    switch (type) {
      case 'string':
        return text;
      case 'boolean':
        if (text === 'true') return true;
        if (text === 'false') return false;
        break;
      case 'null':
        if (text === 'null' || (text === '' && !types.includes('string'))) return null;
        break;
      default: {
        const value = toNumber(text);
        if (value === undefined || (type === 'integer' && !Number.isInteger(value))) break;
        if (!isRounded(text)) return value;
        // Digits that a number cannot hold are kept where a text is allowed too.
        if (types.includes('string')) break;
        return new Unreadable('integer', toRounded(text));
      }
    }
  }
  return text;
}

function toNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
