import type { Choices } from '../choices.ts';
import { checkFields, isObject, type Shape } from './check-fields.ts';
import { Refusal } from './refusals.ts';

/**
 * The fields of a request, from the one place where this server takes them: "a deployment must accept at
 * least one form" (D21). The content type is not looked at.
 */
export function readFields(
  text: string,
  shape: Shape,
  { requestForm, should }: Choices,
): Record<string, unknown> {
  const body = parse(text);
  if (requestForm === 'top') return checkFields(body, shape, should);
  if (!isObject(body) || !Object.hasOwn(body, 'data')) throw new Refusal('BAD_FIELD');
  if (Object.keys(body).length > 1 && should === 'dropped') throw new Refusal('ODD_FIELD');
  return checkFields(body.data, shape, should);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('NOT_JSON');
  }
}
