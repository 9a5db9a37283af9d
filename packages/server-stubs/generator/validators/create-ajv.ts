import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface AjvSettings {
  readonly isForm: boolean;
  readonly usesUnevaluated: boolean;
}

/**
 * Ajv as the generated validators are compiled with: draft 2020-12, lenient about keywords and formats
 * that it does not know, and done with the first error.
 *
 * @param isForm values are texts, and are turned into what the schema asks for
 * @param usesUnevaluated some schema has `unevaluatedProperties` or `unevaluatedItems`
 */
export function createAjv({ isForm, usesUnevaluated }: AjvSettings): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    inlineRefs: INLINE_REFS,
    ...(isForm ? { coerceTypes: 'array' as const } : {}),
    code: { source: true, esm: !isForm, lines: true },
  });
  // Bookkeeping in every function, for keywords that few documents have or that are refused.
  ajv.opts.unevaluated = usesUnevaluated;
  ajv.opts.dynamicRef = false;
  addFormats.default(ajv);
  return ajv;
}

/**
 * A schema of at most so many keywords is repeated where it is referred to, a bigger one is called.
 */
const INLINE_REFS = 8;
