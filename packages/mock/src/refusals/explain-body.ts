import { createRequire } from 'node:module';
import type { Violation } from '@berth/server-stubs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Schema } from '../contract/open-api.ts';
import { toFlatSchema, unwrap } from '../contract/unwrap.ts';
import { describeViolation } from '../oracle/violation.ts';

/** More sentences than these do not help. */
const MAX_SENTENCES = 3;

const require = createRequire(import.meta.url);
const validators = new WeakMap<Schema, ValidateFunction>();

/**
 * All that is wrong with a body of which the router, which stops at the first violation, has refused
 * one. The schema compiler is loaded only here, for what is refused need not be fast.
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
  const validate = validatorOf(schema);
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

function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  });
  const validate = ajv.compile(toFlatSchema(schema));
  validators.set(schema, validate);
  return validate;
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
