import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';

const require = createRequire(import.meta.url);
const validators = new WeakMap<object, ValidateFunction>();

/** Compiles a schema to a function that reports every violation. Ajv is loaded on first use. */
export function compileSchema(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  } as const;
  const validate = new Ajv2020(options).compile(schema);
  validators.set(schema, validate);
  return validate;
}
