import standalone from 'ajv/dist/standalone/index.js';
import type { Pointer } from '../document/pointer.ts';
import type { Problems } from '../document/problems.ts';
import { type Schema, visitSubschemas } from '../schema/schema.ts';
import { createAjv } from './create-ajv.ts';
import type { SchemaSet } from './schema-set.ts';
import { toModuleCode } from './to-module-code.ts';

/** A schema that gets an exported validator. */
export interface Entry {
  /** Of the export. */
  readonly name: string;
  readonly schema: Schema;
  readonly pointer: Pointer;
  /** The value is a form, in which all is text. */
  readonly isForm: boolean;
}

/**
 * Source of a module that exports a validator for each entry: standalone code of Ajv, without Ajv.
 *
 * @param runtime specifier of the module with the helpers of Ajv
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

function compile(
  entries: readonly Entry[],
  set: SchemaSet,
  isForm: boolean,
  problems: Problems,
): string {
  if (entries.length === 0) return '';
  const roots = entries.map(({ name, pointer, schema }) => ({
    id: `-${name}`,
    name,
    pointer,
    schema: set.lower(schema),
  }));
  const schemas = [...set.targets, ...roots];
  if (problems.refusals.length > 0) return '';
  const usesUnevaluated = schemas.some(({ schema }) => hasUnevaluated(schema));
  const ajv = createAjv({ isForm, usesUnevaluated });
  for (const { id, schema } of schemas) ajv.addSchema(schema, id);
  const exported = roots.filter(({ id, pointer }) => compiles(id, pointer));
  if (problems.refusals.length > 0) return '';
  return standalone.default(ajv, Object.fromEntries(exported.map(({ name, id }) => [name, id])));

  function compiles(id: string, pointer: Pointer): boolean {
    try {
      ajv.getSchema(id);
      return true;
    } catch (error) {
      problems.refuse(pointer, `Ajv cannot compile this schema: ${(error as Error).message}.`);
      return false;
    }
  }
}

function hasUnevaluated(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false;
  if ('unevaluatedProperties' in schema || 'unevaluatedItems' in schema) return true;
  let found = false;
  visitSubschemas(schema, '#', (each) => {
    found ||= hasUnevaluated(each);
  });
  return found;
}
