import { createJudge, type Judge } from '../src/runtime/judge.ts';
import type { RouteTable } from '../src/runtime/route-table.ts';
import { loadDocument, UnreadableError } from './cli/load-document.ts';
import { type Problem, Problems, RefusedError } from './document.ts';
import { toRouteTable } from './modules/write-routes.ts';
import { Names } from './names.ts';
import { readModel } from './operations/read-model.ts';
import { SchemaNames } from './schema/schema-store.ts';
import { createValidators } from './validators/compile-validators.ts';
import { SchemaSet } from './validators/schema-set.ts';
import { ValidatorPlan } from './validators/validator-plan.ts';

export type { Fault, Violation } from '../src/runtime/faults.ts';
export { FaultError } from '../src/runtime/faults.ts';
export type {
  BodyPlan,
  Judge,
  JudgedCall,
  JudgedRequest,
  JudgedResponse,
} from '../src/runtime/judge.ts';

/** The OpenAPI document of a hosted service, compiled to judge calls. */
export interface ServiceDocument {
  readonly judge: Judge;
  /** What is left out or not checked, as `file:line:column: message`. */
  readonly warnings: readonly string[];
}

/** Thrown if a document cannot be used. The message names file, line and column as far as they are known. */
export class ServiceDocumentError extends Error {
  override readonly name = 'ServiceDocumentError';
}

/**
 * Reads a service's OpenAPI document (3.0 to 3.2, Swagger 2.0; JSON or YAML), and compiles it with the
 * generator's validators. Its paths are the service's own, so its `servers` are ignored.
 *
 * @param maxBytes maximum size of a body to judge, in bytes
 * @throws ServiceDocumentError if nothing of it can be used
 *
 * @example
 * const { judge } = await loadServiceDocument('orders.openapi.yaml', 1024 * 1024);
 * const call = judge.request({ method: 'GET', url: '/items/42', headers: {} });
 */
export async function loadServiceDocument(
  file: string,
  maxBytes: number,
): Promise<ServiceDocument> {
  const { document, locate, ...loaded } = await loadDocument(file).catch((error: Error) => {
    throw error instanceof UnreadableError
      ? new ServiceDocumentError(error.message, { cause: error })
      : error;
  });
  const problems = new Problems();
  const describe = ({ pointer, message }: Problem) => `${locate(pointer)}: ${message}`;
  try {
    const table = toLiveTable(document, problems);
    return {
      judge: createJudge(table, maxBytes),
      warnings: [...loaded.warnings, ...problems.warnings].map(describe),
    };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new ServiceDocumentError(error.problems.map(describe).join('\n'), { cause: error });
  }
}

/** Returns a document's route table with compiled validators, as generated code would contain it. */
function toLiveTable(document: unknown, problems: Problems): RouteTable {
  const model = readModel(document, problems, { basePath: '' });
  const names = new SchemaNames(new Names());
  const plans = {
    requests: new ValidatorPlan(model.store, names, 'request'),
    responses: new ValidatorPlan(model.store, names, 'response'),
  };
  // The first pass collects what to compile.
  toRouteTable(model, plans, (_, name) => name);
  const compile = (plan: ValidatorPlan, direction: 'request' | 'response') =>
    createValidators(plan.entries, new SchemaSet(model.store, names, direction), problems);
  const validators = {
    requests: compile(plans.requests, 'request'),
    responses: compile(plans.responses, 'response'),
  };
  return toRouteTable(model, plans, (direction, name) =>
    validators[direction].get(name),
  ) as RouteTable;
}
