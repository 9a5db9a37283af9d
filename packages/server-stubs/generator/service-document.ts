import { createJudge, type Judge } from '../src/runtime/judge.ts';
import type { RouteTable } from '../src/runtime/route-table.ts';
import { type Problem, Problems, RefusedError } from './document.ts';
import { loadDocument, UnreadableError } from './load-document.ts';
import { createPlans, type Plans, toRouteTable } from './modules/write-routes.ts';
import { Names } from './names.ts';
import type { Model } from './operations/model.ts';
import { readModel } from './operations/read-model.ts';
import { SchemaNames } from './schema/schema-store.ts';
import { createValidators } from './validators/compile-validators.ts';

export type { Fault, Violation } from '../src/runtime/faults.ts';
export { FaultError } from '../src/runtime/faults.ts';
export type {
  BodyPlan,
  Judge,
  JudgedCall,
  JudgedRequest,
  JudgedResponse,
} from '../src/runtime/judge.ts';

/** The OpenAPI document of a hosted service, compiled for validating calls. */
export interface ServiceDocument {
  readonly judge: Judge;
  /** The parts of the document that are omitted or not checked, as `file:line:column: message`. */
  readonly warnings: readonly string[];
}

/** Thrown if a document cannot be used. The message contains the file, line and column if they are known. */
export class ServiceDocumentError extends Error {
  override readonly name = 'ServiceDocumentError';
}

/**
 * Reads a service's OpenAPI document (3.0, 3.1, Swagger 2.0; JSON or YAML), and compiles it with the
 * generator's validators. Its paths are the service's own, so its `servers` are ignored.
 *
 * @param maxBytes maximum size of a body to validate, in bytes
 * @throws ServiceDocumentError if the document is invalid
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
  const describe = ({ pointer, message }: Problem) => `${locate(pointer)}: ${message}`;
  const problems = new Problems();
  try {
    const table = toLiveTable(readModel(document, problems, { basePath: '' }), problems);
    if (problems.errors.length > 0) throw new RefusedError(problems.errors);
    const warnings = [...loaded.warnings, ...problems.warnings].map(describe);
    return { judge: createJudge(table, maxBytes), warnings };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new ServiceDocumentError(error.problems.map(describe).join('\n'));
  }
}

function toLiveTable(model: Model, problems: Problems): RouteTable {
  const plans = fillPlans(model);
  const validators = {
    requests: createValidators(plans.requests, problems),
    responses: createValidators(plans.responses, problems),
  };
  return toRouteTable(model, plans, (direction, name) =>
    validators[direction].get(name),
  ) as RouteTable;
}

function fillPlans(model: Model): Plans {
  const plans = createPlans(model, new SchemaNames(new Names()));
  toRouteTable(model, plans, (_, name) => name);
  return plans;
}
