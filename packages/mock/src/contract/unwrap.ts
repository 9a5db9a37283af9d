import { isObject } from '../is-object.ts';
import type { Schema } from './open-api.ts';

/**
 * The flat form of a request schema. A schema with `x-berth-unwrap` is a `oneOf` of the fields at the
 * top level and the same fields inside an object; a validator of that `oneOf` would report a missing
 * `data` for a wrong `fileList`.
 *
 * D21: "Validation unwraps `data` first and then validates the flat schema, so that errors name the
 * real field; only the document shows `oneOf`."
 */
export function toFlatSchema(schema: Schema): Schema {
  const [flat] = schema.oneOf ?? [];
  return schema['x-berth-unwrap'] !== undefined && flat !== undefined ? flat : schema;
}

/** A body whose fields stand at the top level, or what is wrong with its wrapping. */
export type Unwrapped = { body: unknown } | { fault: string };

/**
 * Takes the fields out of the wrapper that `x-berth-unwrap` names.
 *
 * D21: "ours accepts both, and refuses both at once."
 */
export function unwrap(body: unknown, schema: Schema): Unwrapped {
  const wrapper = schema['x-berth-unwrap'];
  if (wrapper === undefined || !isObject(body) || !Object.hasOwn(body, wrapper)) return { body };
  const fields = Object.keys(toFlatSchema(schema).properties ?? {});
  const beside = fields.find((field) => Object.hasOwn(body, field));
  if (beside !== undefined) {
    return {
      fault: `${beside} stands beside ${wrapper}: send the fields in one of the two places, not in both.`,
    };
  }
  if (!isObject(body[wrapper])) {
    return { fault: `${wrapper} must be an object that holds the fields.` };
  }
  return { body: body[wrapper] };
}
