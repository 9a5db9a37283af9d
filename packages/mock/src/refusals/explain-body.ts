import type { Violation } from '@berth/server-stubs';
import type { ErrorObject } from 'ajv';
import type { Schema } from '../contract/open-api.ts';
import { toFlatSchema, unwrap } from '../contract/unwrap.ts';
import { describeViolation } from '../oracle/violation.ts';
import { validatorOf } from './validator-of.ts';

/** More sentences than these do not help. */
const MAX_SENTENCES = 3;

/**
 * All that is wrong with a body of which the router, which stops at the first violation, has refused
 * one.
 *
 * @param bytes undefined where they are not all there
 * @param first what the router found
 */
export function explainBody(
  schema: Schema,
  bytes: Buffer | undefined,
  first: Violation,
): { violations: readonly Violation[]; message?: string } {
  const body = parse(bytes);
  const unwrapped = unwrap(body, schema);
  if (bytes === undefined || 'fault' in unwrapped) return { violations: [first] };
  const validate = validatorOf(toFlatSchema(schema));
  if (validate(unwrapped.body) || !validate.errors) return { violations: [first] };
  const prefix = unwrapped.body === body ? '' : `/${schema['x-berth-unwrap']}`;
  const sentences = validate.errors.map((error) =>
    describeViolation(
      {
        path: ['body', ...error.instancePath.split('/').slice(1)],
        code: error.keyword,
        message: error.message ?? 'must be valid',
      },
      unwrapped.body,
    ),
  );
  return {
    violations: validate.errors.map((error, index) =>
      toViolation(error, prefix, sentences[index] as string),
    ),
    message: sentences.slice(0, MAX_SENTENCES).join(' '),
  };
}

function toViolation(error: ErrorObject, prefix: string, message: string): Violation {
  const { keyword, schemaPath, instancePath, params } = error;
  const missing = keyword === 'required' ? `/${params.missingProperty}` : '';
  return { in: 'body', pointer: prefix + instancePath + missing, keyword, message, schemaPath };
}

function parse(bytes: Buffer | undefined): unknown {
  try {
    return bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
