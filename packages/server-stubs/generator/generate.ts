import { type Problem, Problems, RefusedError } from './document.ts';
import { createPlans, writeRoutes } from './modules/write-routes.ts';
import { type ModuleNames, writeHandlers, writeIndex, writeTypes } from './modules/write-types.ts';
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
  /**
   * File extension in imports between generated files. Use `js` if your compiler does not rewrite them.
   * Default: `ts`.
   */
  readonly importExtension?: 'ts' | 'js' | undefined;
  /** Path prefix for all routes. Default: the path of the document's first server. */
  readonly basePath?: string | undefined;
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
  const extension = options.importExtension ?? 'ts';
  const modules: ModuleNames = {
    runtime: options.runtime ?? '@berth/server-stubs/runtime',
    sibling: (name) => `./${name}.gen.${extension}`,
  };
  const problems = new Problems();
  const model = readModel(document, problems, options);

  const names = new Names();
  const schemaNames = new SchemaNames(names);
  const schemaTypes = new SchemaTypes(model.store, schemaNames, names);
  const types = writeTypes(model, schemaTypes, names, modules);
  const plans = createPlans(model, schemaNames);
  const routes = writeRoutes(model, plans, modules);
  const compile = (plan: ValidatorPlan) => compileValidators(plan, modules.runtime, problems);
  const files = new Map([
    ['types.gen.ts', types.text],
    ['request-validators.gen.ts', compile(plans.requests)],
    ['response-validators.gen.ts', compile(plans.responses)],
    ['routes.gen.ts', routes],
    ['handlers.gen.ts', writeHandlers(model, types.operations, modules)],
    ['index.gen.ts', writeIndex(model, modules)],
  ]);
  if (problems.errors.length > 0) throw new RefusedError(problems.errors);
  return {
    files,
    warnings: problems.warnings,
    operations: model.operations,
  };
}
