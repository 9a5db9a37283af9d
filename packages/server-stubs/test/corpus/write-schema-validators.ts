import { writeFile } from 'node:fs/promises';
import { type Pointer, Problems } from '../../generator/document.ts';

import { Names } from '../../generator/names.ts';
import { readModel } from '../../generator/operations/read-model.ts';
import { type Direction, SchemaNames } from '../../generator/schema/schema-store.ts';

import { compileValidators } from '../../generator/validators/compile-validators.ts';
import { ValidatorPlan } from '../../generator/validators/validator-plan.ts';

/** Writes a module with a validator for each schema: `v0`, `v1`, … */
export async function writeSchemaValidators(
  document: unknown,
  schemas: readonly Pointer[],
  direction: Direction,
  file: string,
  runtime: string,
): Promise<void> {
  const problems = new Problems();
  const { store } = readModel(document, problems);
  const plan = new ValidatorPlan(store, new SchemaNames(new Names()), direction);
  const entries = schemas.map((pointer, index) => ({
    name: `v${index}`,
    schema: store.get(pointer),
    pointer,
    isForm: false,
  }));
  Object.defineProperty(plan, 'entries', { value: entries });
  const text = compileValidators(plan, runtime, problems);
  await writeFile(file, text);
}
