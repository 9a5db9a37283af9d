import { createJudge, type Judge } from '../src/runtime/judge.ts';
import type { RouteTable } from '../src/runtime/route-table.ts';
import { loadDocument, UnreadableError } from './cli/load-document.ts';
import { type Problem, Problems, RefusedError } from './document.ts';
import { toRouteTable } from './modules/write-routes.ts';
import { Names } from './names.ts';
import { readModel } from './operations/read-model.ts';
import { SchemaNames } from './schema/schema-store.ts';
import { compileValidators, createValidators } from './validators/compile-validators.ts';
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

/** The OpenAPI document of a hosted service, compiled for validating calls. */
export interface ServiceDocument {
  readonly judge: Judge;
  /** The parts of the document that are omitted or not checked, as `file:line:column: message`. */
  readonly warnings: readonly string[];
}

/** The validators of a service's JSON responses, as source code. */
export interface ResponseValidators {
  /** Statements that declare a function for each name. They refer to `ajvHelpers`. */
  readonly code: string;
  /** Function names by operation, such as `GET /items/{id}`, and by status. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly warnings: readonly string[];
}

/** Thrown if a document cannot be used. The message contains the file, line and column if they are known. */
export class ServiceDocumentError extends Error {
  override readonly name = 'ServiceDocumentError';
}

/**
 * Reads a service's OpenAPI document (3.0 to 3.2, Swagger 2.0; JSON or YAML), and compiles it with the
 * generator's validators. Its paths are the service's own, so its `servers` are ignored.
 *
 * @param maxBytes maximum size of a body to validate, in bytes
 * @throws ServiceDocumentError if no part of the document can be used
 *
 * @example
 * const { judge } = await loadServiceDocument('orders.openapi.yaml', 1024 * 1024);
 * const call = judge.request({ method: 'GET', url: '/items/42', headers: {} });
 */
export async function loadServiceDocument(
  file: string,
  maxBytes: number,
): Promise<ServiceDocument> {
  const { used, warnings } = await use(file, toLiveTable);
  return { judge: createJudge(used, maxBytes), warnings };
}

/**
 * Renders the validators for a service's JSON responses, for all operations that a gateway forwards.
 *
 * @throws ServiceDocumentError if no part of the document can be used
 */
export async function writeResponseValidators(file: string): Promise<ResponseValidators> {
  const { used, warnings } = await use(file, (document, problems) => {
    const model = readModel(document, problems, { basePath: '' });
    const names = new SchemaNames(new Names());
    const plan = new ValidatorPlan(model.store, names, 'response');
    const operations: Record<string, Record<string, string>> = {};
    for (const operation of model.operations) {
      if (operation.method !== 'GET' && operation.method !== 'POST') continue;
      for (const response of operation.responses) {
        const [json] = response.contents.filter(({ kind }) => kind === 'json');
        const name = json && plan.ofResponse(operation, response, json);
        if (name === undefined) continue;
        const key = `${operation.method} ${operation.path}`;
        operations[key] = { ...operations[key], [response.status.toUpperCase()]: name };
      }
    }
    const set = new SchemaSet(model.store, names, 'response');
    const module = compileValidators(plan.entries, set, '', problems);
    const code = module
      .replace(/^(\/\/.*|import .*)\n/gm, '')
      .replace(/^export \{\};$/m, '')
      .replace(/^export const (\w+): Validator/gm, 'const $1')
      .trim();
    return { code, operations };
  });
  return { ...used, warnings };
}

/** Reads a document, and describes its problems with their locations. */
async function use<Used>(
  file: string,
  read: (document: unknown, problems: Problems) => Used,
): Promise<{ used: Used; warnings: string[] }> {
  const { document, locate, ...loaded } = await loadDocument(file).catch((error: Error) => {
    throw error instanceof UnreadableError
      ? new ServiceDocumentError(error.message, { cause: error })
      : error;
  });
  const problems = new Problems();
  const describe = ({ pointer, message }: Problem) => `${locate(pointer)}: ${message}`;
  try {
    const used = read(document, problems);
    return { used, warnings: [...loaded.warnings, ...problems.warnings].map(describe) };
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
