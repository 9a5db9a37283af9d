import type { RequestBody } from '../route-table.ts';

/** The fields, and where they stand: the property, or an empty text. */
export interface Unwrapped {
  readonly value: unknown;
  readonly place: string;
  /** Why the body is refused. */
  readonly problem?: string;
}

/** Takes the fields out of the property that `x-berth-unwrap` names, if they stand there. */
export function unwrap(value: unknown, { unwrap: place, unwrapFields }: RequestBody): Unwrapped {
  if (place === undefined || !isObject(value) || !Object.hasOwn(value, place)) {
    return { value, place: '' };
  }
  const beside = unwrapFields
    ? unwrapFields.find((name) => Object.hasOwn(value, name))
    : Object.keys(value).find((name) => name !== place);
  if (beside !== undefined) {
    const problem = `body.${beside} stands beside body.${place}: send the fields in one of the two places, not in both.`;
    return { value, place: '', problem };
  }
  return { value: value[place], place };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
