import { FaultError, invalidRequest, toSimpleViolation, toViolation } from '../faults.ts';
import type { RequestBody, Validator } from '../route-table.ts';

/**
 * Returns the validated value of a parsed body: its fields, even if they were sent inside another property
 * (`x-berth-unwrap`).
 *
 * @throws FaultError if the value does not match the schema
 */
export function readFields(
  value: unknown,
  documented: RequestBody,
  validate: Validator | undefined,
): unknown {
  const place = findWrapper(value, documented);
  const fields = place === undefined ? value : (value as Record<string, unknown>)[place];
  if (validate === undefined || validate(fields)) return fields;
  const prefix = place === undefined ? '' : `/${place}`;
  throw new FaultError(invalidRequest([toViolation(validate.errors, 'body', 'body', prefix)]));
}

/** @throws FaultError if both places contain fields */
function findWrapper(
  value: unknown,
  { unwrap: place, unwrapFields }: RequestBody,
): string | undefined {
  if (place === undefined || !isObject(value) || !Object.hasOwn(value, place)) return undefined;
  const other = unwrapFields
    ? unwrapFields.find((name) => Object.hasOwn(value, name))
    : Object.keys(value).find((name) => name !== place);
  if (other === undefined) return place;
  const message = `body.${other} and body.${place} are both set: send the fields in only one of these places.`;
  throw new FaultError(invalidRequest([toSimpleViolation('body', '', 'unwrap', message)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
