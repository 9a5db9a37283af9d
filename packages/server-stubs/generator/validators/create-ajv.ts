import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * Ajv as the generated validators are compiled with: draft 2020-12, lenient about keywords and formats
 * that it does not know, and done with the first error.
 *
 * @param isForm values are texts, and are turned into what the schema asks for
 */
export function createAjv({ isForm }: { isForm: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    inlineRefs: INLINE_REFS,
    ...(isForm ? { coerceTypes: 'array' as const } : {}),
    code: { source: true, esm: !isForm, lines: true },
  });
  addFormats.default(ajv);
  return ajv;
}

/**
 * A schema of at most so many keywords is repeated where it is referred to, a bigger one is called.
 */
const INLINE_REFS = 8;
