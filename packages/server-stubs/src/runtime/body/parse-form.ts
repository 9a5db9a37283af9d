import type { Fault } from '../fault.ts';
import { decodeQuery } from '../parameters/decode-query.ts';
import { createNullObject, type NullObject } from '../parameters/null-object.ts';
import { malformed, tooMany } from './faults.ts';

/**
 * Parses `application/x-www-form-urlencoded`: texts by name, a list where a name is given more than
 * once.
 */
export function parseForm(
  text: string,
  maxFields: number,
): { readonly value: NullObject } | { readonly fault: Fault } {
  const value = createNullObject();
  const pairs = text === '' ? [] : text.split('&', maxFields + 1);
  if (pairs.length > maxFields) return { fault: tooMany('fields', maxFields) };
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeQuery(at < 0 ? pair : pair.slice(0, at));
    const field = at < 0 ? '' : decodeQuery(pair.slice(at + 1));
    if (name === undefined || field === undefined) {
      return { fault: malformed('The form in the body has broken percent-encoding.') };
    }
    const known = value[name];
    if (known === undefined) value[name] = field;
    else if (Array.isArray(known)) known.push(field);
    else value[name] = [known, field];
  }
  return { value };
}
