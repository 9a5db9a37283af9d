import type { Choices } from '../choices.ts';
import { Refusal } from './refusals.ts';

/** Field → its JSON type, with `?` where it may be left out. */
export type Shape = Record<string, `${'string' | 'number' | 'boolean' | 'list'}${'' | '?'}`>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Refuses the call where a field "is missing or has a wrong type". */
export function checkFields(value: unknown, shape: Shape, should: Choices['should']) {
  if (!isObject(value)) throw new Refusal('BAD_FIELD');
  for (const [name, type] of Object.entries(shape)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const actual = Array.isArray(field) ? 'list' : typeof field;
    const optional = type.endsWith('?') && field === undefined;
    if (!optional && actual !== type.replace('?', '')) throw new Refusal('BAD_FIELD');
  }
  const odd = Object.keys(value).some((name) => !Object.hasOwn(shape, name));
  if (odd && should === 'dropped') throw new Refusal('ODD_FIELD');
  return value;
}
