import { createJudge, type Judge } from '../src/runtime/judge.ts';
import type { RouteTable } from '../src/runtime/route-table.ts';
import { type Problem, Problems, RefusedError, toNames } from './document.ts';
import { loadDocument, UnreadableError } from './load-document.ts';
import { createPlans, type Plans, toRouteTable } from './modules/write-routes.ts';
import { Names } from './names.ts';
import type { Model } from './operations/model.ts';
import { readModel } from './operations/read-model.ts';
import { SchemaNames } from './schema/schema-store.ts';
import { compileValidators, createValidators } from './validators/compile-validators.ts';

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

/** Something in a document that is omitted or not checked. */
export interface DocumentWarning {
  /** Keys from the root: `['paths', '/items', 'get']`. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Compiles a judge that only knows one operation, and only validates requests. */
export type OperationCompiler = () => {
  readonly judge: Judge;
  readonly warnings: readonly DocumentWarning[];
};

/** The operations of a document. Compiling them takes most of the time, so each one is compiled separately. */
export interface DocumentOperations {
  /**
   * @param path as the document writes it
   * @returns undefined if the document has no such operation, or if it cannot be used
   */
  readonly find: (method: string, path: string) => OperationCompiler | undefined;
  readonly warnings: readonly DocumentWarning[];
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
 * Reads a service's OpenAPI document (3.0, 3.1, Swagger 2.0; JSON or YAML), and compiles it with the
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
  const { used, warnings } = await use(file, (document, problems) =>
    toLiveTable(readModel(document, problems, { basePath: '' }), problems),
  );
  return { judge: createJudge(used, maxBytes), warnings };
}

/**
 * Reads a bundled document (OpenAPI 3.0 or 3.1) to validate requests. Its `servers` are ignored.
 *
 * @param maxBytes maximum size of a body to validate, in bytes
 */
export function readDocumentOperations(document: unknown, maxBytes: number): DocumentOperations {
  const { made: model, problems } = attempt((own) => {
    const read = readModel(document, own, { basePath: '', requestsOnly: true });
    const { requests } = fillPlans(read);
    for (const { schema } of requests.entries) requests.lower(schema);
    return read;
  });
  const operations = model?.operations.map((one) => [`${one.method} ${one.path}`, one] as const);
  const byKey = new Map(operations);
  return {
    warnings: problems.map(toWarning),
    find(method, path) {
      const operation = byKey.get(`${method} ${path}`);
      if (model === undefined || operation === undefined) return undefined;
      return () => {
        const own = new Problems();
        const table = toLiveTable({ ...model, operations: [operation] }, own);
        const found = [...own.errors, ...own.warnings];
        return { judge: createJudge(table, maxBytes), warnings: found.map(toWarning) };
      };
    },
  };
}

/**
 * Compiles a bundled document (OpenAPI 3.0 or 3.1) to the route table that `berth-stubs` generates from it.
 *
 * @returns the table, which is undefined if no part of the document can be used
 */
export function readRouteTable(document: unknown): {
  readonly table: RouteTable | undefined;
  readonly warnings: readonly DocumentWarning[];
} {
  const read = (own: Problems) => toLiveTable(readModel(document, own), own);
  const { made: table, problems } = attempt(read);
  return { table, warnings: problems.map(toWarning) };
}

function toWarning({ pointer, message }: Problem): DocumentWarning {
  return { path: toNames(pointer), message };
}

/** Reads a document; one that is refused has only problems. */
function attempt<Made>(read: (problems: Problems) => Made): {
  readonly made: Made | undefined;
  readonly problems: readonly Problem[];
} {
  const problems = new Problems();
  try {
    const made = read(problems);
    return { made, problems: [...problems.errors, ...problems.warnings] };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { made: undefined, problems: error.problems };
  }
}

/**
 * Renders the validators for a service's JSON responses, for all operations that a gateway forwards.
 *
 * @throws ServiceDocumentError if no part of the document can be used
 */
export async function writeResponseValidators(file: string): Promise<ResponseValidators> {
  const { used, warnings } = await use(file, (document, problems) => {
    const model = readModel(document, problems, { basePath: '' });
    const { responses: plan } = createPlans(model, new SchemaNames(new Names()));
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
    const code = compileValidators(plan, '', problems)
      .replace(/^(\/\/.*|import .*)\n/gm, '')
      .replace(/^export \{\};$/m, '')
      .replace(/^export const (\w+): Validator/gm, 'const $1')
      .trim();
    return { code, operations };
  });
  return { ...used, warnings };
}

async function use<Used>(
  file: string,
  read: (document: unknown, problems: Problems) => Used,
): Promise<{ used: Used; warnings: string[] }> {
  const { document, locate, ...loaded } = await loadDocument(file).catch((error: Error) => {
    throw error instanceof UnreadableError
      ? new ServiceDocumentError(error.message, { cause: error })
      : error;
  });
  const { made, problems } = attempt((own) => read(document, own));
  const describe = ({ pointer, message }: Problem) => `${locate(pointer)}: ${message}`;
  if (made === undefined) throw new ServiceDocumentError(problems.map(describe).join('\n'));
  return { used: made, warnings: [...loaded.warnings, ...problems].map(describe) };
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
