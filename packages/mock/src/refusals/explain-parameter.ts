import type { Violation } from '@berth/server-stubs';
import type { Operation } from '../contract/operations.ts';
import { validatorOf } from './validator-of.ts';

/**
 * All that is wrong with a path parameter of which the router, which stops at the first violation, has
 * refused one.
 */
export function explainParameter(
  { path, parameters }: Operation,
  rawPath: string,
  first: Violation,
): { violations: readonly Violation[] } {
  const name = first.pointer.slice(1);
  const parameter = parameters.find((one) => one.in === first.in && one.name === name);
  const place = path.split('/').indexOf(`{${name}}`);
  const value = rawPath.split('/')[place];
  if (parameter === undefined || value === undefined) return { violations: [first] };
  const validate = validatorOf(parameter.schema);
  if (validate(decodeURIComponent(value)) || !validate.errors) return { violations: [first] };
  return {
    violations: validate.errors.map(({ keyword, schemaPath, message = 'is not valid' }) => ({
      in: first.in,
      pointer: first.pointer,
      keyword,
      message: `${first.in}.${name} ${message}.`,
      schemaPath,
    })),
  };
}
