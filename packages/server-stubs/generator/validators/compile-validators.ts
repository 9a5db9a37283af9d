import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import type { Pointer, Problems } from '../document.ts';
import {
  propertiesOf,
  requiredOf,
  type Schema,
  type SchemaObject,
  visitSubschemas,
} from '../schema/schema.ts';
import type { ValidatorPlan } from './validator-plan.ts';

/** Schemas with at most this many keywords are inlined at each reference. */
const INLINE_REFS = 8;

/** Id of the schema for those that Ajv cannot compile. */
const ANY = '-any';

const HELPERS: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/equal").default': 'ajvHelpers.equal',
  'require("ajv/dist/runtime/ucs2length").default': 'ajvHelpers.ucs2length',
  'require("ajv-formats/dist/formats").fullFormats': 'ajvHelpers.formats',
};

type Plan = Pick<ValidatorPlan, 'entries' | 'lower' | 'targets'>;

/** Ajv standalone code, which runs without Ajv. */
export function compileValidators(plan: Plan, runtime: string, problems: Problems): string {
  if (plan.entries.length === 0) return '// No schema to validate.\nexport {};';
  const { ajv, exported } = prepare(plan, problems);
  const body = clean(standalone.default(ajv, Object.fromEntries(exported)));
  const imports = body.includes('ajvHelpers.')
    ? `import { ajvHelpers, type Validator } from '${runtime}';`
    : `import type { Validator } from '${runtime}';`;
  return `// @ts-nocheck\n${imports}\n\n${body}`;
}

function prepare(
  plan: Plan,
  problems: Problems,
): { ajv: Ajv2020; exported: readonly (readonly [name: string, id: string])[] } {
  const roots = plan.entries.map(({ name, pointer, schema }) => ({
    id: `-${name}`,
    name,
    pointer,
    schema: plan.lower(schema),
  }));
  const schemas = [...plan.targets, ...roots];
  const uses = (test: (schema: SchemaObject) => boolean) =>
    schemas.some(({ schema }) => isSomewhere(schema, test));
  // Draft 2020-12, lenient about unknown keywords and formats, stopping at the first error.
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    unicodeRegExp: false,
    inlineRefs: INLINE_REFS,
    ownProperties: uses(hasInheritedName),
    code: { source: true, esm: true, lines: true },
  });
  // Adds bookkeeping to every function, for keywords that are rare or rejected.
  ajv.opts.unevaluated = uses(
    (schema) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema,
  );
  ajv.opts.dynamicRef = false;
  addFormats.default(ajv);
  for (const { id, schema } of schemas) ajv.addSchema(schema, id);
  const exported = roots.map(
    ({ name, id, pointer }) => [name, compiles(id, pointer) ? id : ANY] as const,
  );
  return { ajv, exported };

  function compiles(id: string, pointer: Pointer): boolean {
    try {
      ajv.getSchema(id);
      return true;
    } catch (error) {
      problems.warn(
        pointer,
        `Ajv cannot compile this schema: ${(error as Error).message}. Every value is valid.`,
      );
      ajv.removeSchema(ANY);
      ajv.addSchema({}, ANY);
      return false;
    }
  }
}

function hasInheritedName(schema: SchemaObject): boolean {
  const names = [...requiredOf(schema), ...propertiesOf(schema).map(([name]) => name)];
  return names.some((name) => name in Object.prototype);
}

function isSomewhere(schema: Schema, test: (schema: SchemaObject) => boolean): boolean {
  if (typeof schema === 'boolean') return false;
  if (test(schema)) return true;
  let found = false;
  visitSubschemas(schema, '#', (each) => {
    found ||= isSomewhere(each, test);
  });
  return found;
}

function clean(code: string): string {
  const lines = dropUnusedSchemas(code)
    .replace('"use strict";', '')
    .replace(/^export const (\w+) = /gm, 'export const $1: Validator = ')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map(withoutRequire).join('\n');
}

function withoutRequire(line: string): string {
  if (!/^const \w+ = require\(/.test(line)) return line;
  for (const [call, helper] of Object.entries(HELPERS)) {
    if (line.includes(call)) return line.replace(call, helper);
  }
  throw new Error(`Ajv needs a helper that the runtime does not have: ${line}`);
}

/** Ajv declares one schema per validator on its own line, and uses few of them. */
function dropUnusedSchemas(code: string): string {
  const counts = new Map<string, number>();
  for (const [name] of code.matchAll(/\bschema\d+\b/g)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return code.replace(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    counts.get(name) === 1 ? '' : line,
  );
}
