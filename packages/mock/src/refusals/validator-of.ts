import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import type { Schema } from '../contract/open-api.ts';

const require = createRequire(import.meta.url);
const validators = new WeakMap<Schema, ValidateFunction>();

/**
 * Finds all that is wrong with a value. The schema compiler is loaded only here, for what is refused
 * need not be fast.
 */
export function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  });
  const validate = ajv.compile(schema);
  validators.set(schema, validate);
  return validate;
}
