import { type Problem, Problems, RefusedError } from './document.ts';
import { createPlans, writeRoutes } from './modules/write-routes.ts';
import { writeHandlers, writeIndex, writeTypes } from './modules/write-types.ts';
import { Names } from './names.ts';
import type { Operation } from './operations/model.ts';
import { readModel } from './operations/read-model.ts';
import { SchemaNames } from './schema/schema-store.ts';
import { SchemaTypes } from './types/schema-types.ts';
import { compileValidators } from './validators/compile-validators.ts';
import type { ValidatorPlan } from './validators/validator-plan.ts';

export interface GenerateOptions {
  /** Module specifier of the runtime in generated imports. Default: `@berth/server-stubs/runtime`. */
  readonly runtime?: string | undefined;
}

export interface Generated {
  /** Content by file name. The order is always the same. */
  readonly files: ReadonlyMap<string, string>;
  /** What is not checked or not served, and why. */
  readonly warnings: readonly Problem[];
  readonly operations: readonly Pick<Operation, 'operationId' | 'method' | 'path'>[];
}

/**
 * Generates types, handlers, routes and validators. The output is deterministic.
 *
 * @throws RefusedError if the document is invalid
 */
export function generate(document: unknown, options: GenerateOptions = {}): Generated {
  const { runtime = '@berth/server-stubs/runtime' } = options;
  const problems = new Problems();
  const model = readModel(document, problems);

  const names = new Names();
  const schemaNames = new SchemaNames(names);
  const schemaTypes = new SchemaTypes(model.store, schemaNames, names);
  const types = writeTypes(model, schemaTypes, names, runtime);
  const plans = createPlans(model, schemaNames);
  const routes = writeRoutes(model, plans, runtime);
  const compile = (plan: ValidatorPlan) => compileValidators(plan, runtime, problems);
  const files = new Map([
    ['types.gen.ts', types.text],
    ['request-validators.gen.ts', compile(plans.requests)],
    ['response-validators.gen.ts', compile(plans.responses)],
    ['routes.gen.ts', routes],
    ['handlers.gen.ts', writeHandlers(model, types.operations, runtime)],
    ['index.gen.ts', writeIndex(model, runtime)],
  ]);
  if (problems.errors.length > 0) throw new RefusedError(problems.errors);
  return {
    files,
    warnings: problems.warnings,
    operations: model.operations,
  };
}
