import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import type { Validator } from '../../src/runtime/route-table.ts';
import type { Pointer, Problems } from '../document.ts';
import {
  propertiesOf,
  requiredOf,
  type Schema,
  type SchemaObject,
  visitSubschemas,
} from '../schema/schema.ts';
import type { SchemaSet } from './schema-set.ts';

/**
 * Schemas with at most this many keywords are inlined at each reference. Larger ones are called.
 */
const INLINE_REFS = 8;

/** Id of the schema for those that Ajv cannot compile. */
const ANY = '-any';

/** Runtime dependencies of Ajv code, and their names in our runtime. */
const HELPERS: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/equal").default': 'ajvHelpers.equal',
  'require("ajv/dist/runtime/ucs2length").default': 'ajvHelpers.ucs2length',
  'require("ajv-formats/dist/formats").fullFormats': 'ajvHelpers.formats',
};

/** A schema with an exported validator. */
export interface Entry {
  /** Name of the exported function. */
  readonly name: string;
  readonly schema: Schema;
  readonly pointer: Pointer;
  /** Whether the value is a form, in which every value is a string. */
  readonly isForm: boolean;
}

/**
 * Renders a module that exports a validator for each entry, as Ajv standalone code that runs without
 * Ajv.
 *
 * @param runtime specifier of the module with Ajv's helpers
 */
export function compileValidators(
  entries: readonly Entry[],
  set: SchemaSet,
  runtime: string,
  problems: Problems,
): string {
  const [forms, others] = [
    entries.filter(({ isForm }) => isForm),
    entries.filter(({ isForm }) => !isForm),
  ];
  return toModuleCode({
    code: compile(others, set, false, problems),
    formCode: compile(forms, set, true, problems),
    names: others.map(({ name }) => name),
    formNames: forms.map(({ name }) => name),
    runtime,
  });
}

/**
 * Compiles the validators of entries to functions, which are the same as the code that
 * {@link compileValidators} renders.
 *
 * @returns the functions by the names of their entries
 */
export function createValidators(
  entries: readonly Entry[],
  set: SchemaSet,
  problems: Problems,
): ReadonlyMap<string, Validator> {
  const validators = [true, false].flatMap((isForm) => {
    const own = entries.filter((entry) => entry.isForm === isForm);
    if (own.length === 0) return [];
    const { ajv, exported } = prepare(own, set, isForm, problems);
    return exported.map(([name, id]) => [name, ajv.getSchema(id) as Validator] as const);
  });
  return new Map(validators);
}

function compile(
  entries: readonly Entry[],
  set: SchemaSet,
  isForm: boolean,
  problems: Problems,
): string {
  if (entries.length === 0) return '';
  const { ajv, exported } = prepare(entries, set, isForm, problems);
  return standalone.default(ajv, Object.fromEntries(exported));
}

/** Compiles entries, and returns the ID of the schema of each name. */
function prepare(
  entries: readonly Entry[],
  set: SchemaSet,
  isForm: boolean,
  problems: Problems,
): { ajv: Ajv2020; exported: readonly (readonly [name: string, id: string])[] } {
  const roots = entries.map(({ name, pointer, schema }) => ({
    id: `-${name}`,
    name,
    pointer,
    schema: set.lower(schema),
  }));
  const schemas = [...set.targets, ...roots];
  const uses = (test: (schema: SchemaObject) => boolean) =>
    schemas.some(({ schema }) => isSomewhere(schema, test));
  const ajv = createAjv({
    isForm,
    usesUnevaluated: uses(hasUnevaluated),
    usesInherited: uses(hasInheritedName),
  });
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

function hasUnevaluated(schema: SchemaObject): boolean {
  return 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
}

/** Returns whether a schema names a property that every object inherits, such as `constructor` or `toString`. */
function hasInheritedName(schema: SchemaObject): boolean {
  const names = [...requiredOf(schema), ...propertiesOf(schema).map(([name]) => name)];
  return names.some((name) => name in Object.prototype);
}

/** Returns whether a test passes for a schema or any of its subschemas. */
function isSomewhere(schema: Schema, test: (schema: SchemaObject) => boolean): boolean {
  if (typeof schema === 'boolean') return false;
  if (test(schema)) return true;
  let found = false;
  visitSubschemas(schema, '#', (each) => {
    found ||= isSomewhere(each, test);
  });
  return found;
}

interface AjvSettings {
  readonly isForm: boolean;
  readonly usesUnevaluated: boolean;
  readonly usesInherited: boolean;
}

/**
 * Creates the Ajv instance that generates validators: draft 2020-12, lenient about unknown keywords and
 * formats, stopping at the first error.
 *
 * @param isForm values are strings, which are converted to the types in the schema
 * @param usesUnevaluated a schema has `unevaluatedProperties` or `unevaluatedItems`
 * @param usesInherited a schema names a property that every object inherits
 */
function createAjv({ isForm, usesUnevaluated, usesInherited }: AjvSettings): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    inlineRefs: INLINE_REFS,
    ownProperties: usesInherited,
    ...(isForm ? { coerceTypes: 'array' as const } : {}),
    code: { source: true, esm: !isForm, lines: true },
  });
  // Adds bookkeeping to every function, for keywords that are rare or rejected.
  ajv.opts.unevaluated = usesUnevaluated;
  ajv.opts.dynamicRef = false;
  addFormats.default(ajv);
  return ajv;
}

interface Parts {
  /** Ajv standalone code as ESM, with one export per name. */
  readonly code: string;
  /** The same for forms, as CommonJS. Its variables may have the same names. */
  readonly formCode: string;
  readonly names: readonly string[];
  readonly formNames: readonly string[];
  readonly runtime: string;
}

function toModuleCode({ code, formCode, names, formNames, runtime }: Parts): string {
  const parts = [clean(code)];
  if (formNames.length > 0) {
    const exported = formNames.map((name) => `export const ${name}: Validator = forms.${name};`);
    parts.push(
      `const forms = (() => {\nconst exports = {};\n${clean(formCode)}\nreturn exports;\n})();`,
      exported.join('\n'),
    );
  }
  const body = parts.join('\n');
  const imports = body.includes('ajvHelpers.')
    ? `import { ajvHelpers, type Validator } from '${runtime}';`
    : `import type { Validator } from '${runtime}';`;
  return names.length + formNames.length === 0
    ? '// No schema to validate.\nexport {};'
    : `// @ts-nocheck\n${imports}\n\n${body}`;
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

/**
 * Removes unused schemas from Ajv standalone code, which declares one per validator on its own line and
 * uses few of them.
 */
function dropUnusedSchemas(code: string): string {
  const counts = new Map<string, number>();
  for (const [name] of code.matchAll(/\bschema\d+\b/g)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return code.replace(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    counts.get(name) === 1 ? '' : line,
  );
}
