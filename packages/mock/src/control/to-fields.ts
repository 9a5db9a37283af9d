import { toUnknown } from '../faults/to-fault.ts';
import { FieldError } from '../field-error.ts';
import { isObject } from '../is-object.ts';

/**
 * The fields of a body; a misspelt one would do nothing, and nobody would know.
 *
 * @throws FieldError for a body that is no object, and for a field that there is not
 */
export function toFields<const Name extends string>(
  body: unknown,
  names: readonly Name[],
): { readonly [Field in Name]?: unknown } {
  if (!isObject(body)) {
    throw new FieldError('The body', `must be a JSON object with ${names.join(', ')}.`);
  }
  for (const name of Object.keys(body)) {
    if (!names.includes(name as Name)) throw toUnknown(name, name, names);
  }
  return body as { readonly [Field in Name]?: unknown };
}
