import type { JsonType } from '../support/request-schema.ts';

/**
 * A value of a type, the one that a lax server takes most easily for the right one: `"60"` for a number,
 * an object for a string that it has.
 *
 * @param place the type that the contract wants
 * @param text a text that the field could hold
 */
export function toLaxValue(type: JsonType, place: JsonType, text: string): unknown {
  const texts: Partial<Record<JsonType, string>> = { number: '60', boolean: 'true' };
  const values: Record<JsonType, unknown> = {
    object: { path: text, fileID: text },
    array: place === 'object' ? [] : [text],
    string: texts[place] ?? text,
    number: 1,
    boolean: true,
    null: null,
  };
  return values[type];
}
