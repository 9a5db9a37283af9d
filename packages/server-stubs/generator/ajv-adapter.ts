/**
 * What depends on the internals of Ajv 8.20 and on the text that it writes. A later version may also accept other
 * schemas (`convert-schema.ts`) or report other errors (`schema-set.ts`, `portable/validation.ts`).
 */
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import type { Validator } from '../src/runtime/portable/route-table.ts';
import { ajvHelpers } from '../src/runtime/portable/validation.ts';
import type { CompleteSet } from './schema-set.ts';

/** Returns a function that creates validators by ID in this process. Each is compiled when it is first called. */
export function createCompiler({ schemas }: CompleteSet): (id: string) => Validator {
  const ajv = createAjv(schemas, { source: false });
  // As in generated code: Ajv's own function would call a `valueOf` or `toString` that the JSON contains. There is no
  // option for it, so this relies on the names that Ajv gives its functions.
  const { default: key } = createRequire(import.meta.url)('ajv/dist/runtime/equal');
  ajv.scope.value('func', { key, ref: ajvHelpers['ajv/dist/runtime/equal'].default });
  return (id) => {
    let compiled: Validator | undefined;
    const validate: Validator = (data) => {
      compiled ??= compile(ajv, id, schemas);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

function compile(ajv: Ajv2020, id: string, schemas: CompleteSet['schemas']): Validator {
  try {
    return ajv.getSchema(id) as Validator;
  } catch (error) {
    // A chain of hundreds of references, of which this schema is the first.
    if (!(error instanceof RangeError)) throw error;
    for (const schemaId of toCompileOrder(schemas)) ajv.getSchema(schemaId);
    return ajv.getSchema(id) as Validator;
  }
}

/** With the schemas that others refer to first if possible: Ajv compiles a chain of references recursively. */
function toCompileOrder(schemas: CompleteSet['schemas']): string[] {
  return [...schemas.keys()].reverse();
}

/** Writes a module whose exports are the IDs of validators, and which runs without Ajv. */
export function writeValidators({ schemas, exported }: CompleteSet, runtime: string): string {
  if (exported.length === 0) return '// No schema to validate.\nexport {};';
  const ajv = createAjv(schemas, { source: true });
  const sources = toCompileOrder(schemas).map((id) => ajv.getSchema(id)?.source);
  const functions = new Map(sources.map((code) => [code?.validateName.str, code?.validateCode]));
  const emitted = standalone.default(ajv, Object.fromEntries(exported.map((id) => [id, id])));
  return `// @ts-nocheck
import { ajvHelpers, type Validator } from '${runtime}';

${repairStandalone(emitted, functions)}`;
}

function createAjv(schemas: CompleteSet['schemas'], code: { source: boolean }): Ajv2020 {
  const text = JSON.stringify([...schemas.values()]);
  const inherited = Object.getOwnPropertyNames(Object.prototype);
  // Draft 2020-12, lenient about unknown formats, stopping at the first error.
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    discriminator: true,
    unicodeRegExp: false,
    // JSON may contain 1e999, which JavaScript parses as Infinity.
    strictNumbers: true,
    // A multiple of 0.01 is rarely a multiple of its closest binary number. With 6, decimals of up to ten
    // digits are multiples, and a value that is off by more than a millionth of the step is not.
    multipleOfPrecision: 6,
    // Schemas with at most this many keywords are copied to each reference.
    inlineRefs: 8,
    // In JavaScript, every object has a property `constructor`.
    ownProperties: inherited.some((name) => text.includes(`"${name}"`)),
    // Optimizing is quadratic in the number of properties, and the result is no faster.
    code: { ...code, esm: true, lines: true, optimize: false },
  });
  // Their bookkeeping in each function is only needed for rare keywords. `Ajv2020` sets both, whatever its options say.
  ajv.opts.unevaluated = text.includes('"unevaluated');
  ajv.opts.dynamicRef = false;
  addFormats.default(ajv);
  for (const [id, { schema }] of schemas) ajv.addSchema(schema, id);
  return ajv;
}

/**
 * Makes what `ajv/dist/standalone` writes a module without duplicates and without `require`. Throws if Ajv writes a
 * different text.
 *
 * @param functions the text of each function by its name
 */
function repairStandalone(emitted: string, functions: Map<unknown, string | undefined>): string {
  let code = emitted;
  const replace = (text: string | RegExp, replacement: string) => {
    const before = code;
    code = code.replace(text, replacement);
    if (code === before) throw new Error(`Ajv's code does not contain ${text}.`);
  };
  // `function validate1(…){…}function validate1(…){…}` → `function validate1(…){…}`: Ajv may write a function twice if
  // schemas refer to each other.
  const written = Map.groupBy(code.matchAll(/^function (validate\d+)\(/gm), ([, name]) => name);
  for (const [name, { length }] of written) {
    if (length === 1) continue;
    const text = functions.get(name);
    const [before, ...after] = code.split(text ?? '\0');
    if (after.length !== length) throw new Error(`Ajv's code has a different ${name}.`);
    code = `${before}${text}${after.join('')}`;
  }
  // `const func0 = require("a").default;` → `const func0 = ajvHelpers["a"].default;`
  code = code.replaceAll(/^(const \w+ = )require\((".*?")\)/gm, '$1ajvHelpers[$2]');
  // `"use strict";` → nothing, since modules are strict.
  replace('"use strict";', '');
  // `export const isPet = validate10;` → `export const isPet: Validator = validate10;`
  replace(/^export const (\w+) = /gm, 'export const $1: Validator = ');
  // Blank lines → nothing.
  return code.replace(/\n{2,}/g, '\n');
}
