import type { Validator } from '../src/runtime/portable/route-table.ts';
import { createAjvCompiler, writeStandalone } from './ajv-adapter.ts';
import type { Schemas } from './schema-set.ts';

/** Returns a function that creates validators by ID in this process. Each is compiled when it is first called. */
export function createCompiler({ schemas }: Schemas): (id: string) => Validator {
  const compile = createAjvCompiler(schemas);
  return (id) => {
    let compiled: Validator | undefined;
    const validate: Validator = (data) => {
      compiled ??= compile(id);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

/** Writes a module whose exports are the IDs of validators, and which runs without Ajv. */
export function writeValidators({ schemas, exported }: Schemas, runtime: string): string {
  if (exported.length === 0) return '// No schema to validate.\nexport {};';
  return `// @ts-nocheck
import { ajvHelpers, type Validator } from '${runtime}';

${writeStandalone(schemas, exported)}`;
}
