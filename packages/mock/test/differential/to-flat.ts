import { toFlatSchema } from '../../src/contract/documents.ts';
import { isObject } from '../../src/util/values.ts';
import type { Asked, Verdict } from './exchange.ts';
import { OPERATIONS } from './operations.ts';
import { isBroken, isJsonCall } from './requests.ts';

/** Prism's verdict as that of the flat schema alone; undefined where there is nothing to unwrap. */
export function toFlat(prism: Verdict, asked: Asked): Verdict | undefined {
  const schema = OPERATIONS.find(({ id }) => asked.path.endsWith(`:${id}`))?.body;
  const wrapper = schema?.['x-berth-unwrap'];
  if (schema === undefined || wrapper === undefined || !isJsonCall(asked)) return undefined;
  const fields = Object.keys(toFlatSchema(schema).properties ?? {});
  const body =
    asked.body === undefined || isBroken(asked) ? undefined : JSON.parse(asked.body || 'null');
  const isWrapped = isObject(body) && Object.hasOwn(body, wrapper);
  const isOf = (one: string) => !one.startsWith('body ');
  if (isWrapped && fields.some((field) => Object.hasOwn(body, field))) {
    if (![200, 422].includes(prism.status)) return undefined;
    const violations = [...prism.violations.filter(isOf), 'body  unwrap'].sort();
    return { ...prism, status: 422, isRefusal: true, violations };
  }
  const foreign = isWrapped
    ? fields.map((field) => `body /${field} required`)
    : [`body /${wrapper} required`];
  const violations = prism.violations.filter(
    (one) => one !== 'body  oneOf' && !foreign.includes(one),
  );
  return { ...prism, violations };
}
