import type { RouteTable } from '../src/runtime/portable/route-table.ts';
import { createCompiler } from './ajv-adapter.ts';
import { isObject, type JsonObject } from './json.ts';
import { loadDocument } from './load.ts';
import { InvalidDocumentError, type Problem } from './openapi.ts';
import { describeOperations } from './operations.ts';
import { ValidatorName } from './schema-set.ts';

export { InvalidDocumentError, type JsonObject, type Problem };

export interface DocumentRoutes {
  /** Like `routes` of generated code: both accept the same requests and responses. */
  readonly routes: RouteTable;
  /** The document in OpenAPI 3.1, in one object. Each operation has an `operationId`. */
  readonly document: JsonObject;
  /** What is not checked or not served, and why. */
  readonly warnings: readonly Problem[];
}

/**
 * Loads any OpenAPI document (3.0, 3.1, or Swagger 2.0) at run time. A schema is compiled when it is first
 * used, which creates code: generated stubs do not need this.
 *
 * Unstable: only `@berth/mock` should use it, and it may change in any release.
 *
 * @param source the path of a JSON or YAML file, or a parsed document
 * @param onFile called with the path of each file before it is read, even if it is missing or invalid
 * @throws InvalidDocumentError if the document is invalid
 * @example
 * const { routes, warnings } = await loadRoutes('petstore.yaml');
 * createServer(createTableRouter(routes, handlers)).listen(8080);
 */
export async function loadRoutes(
  source: string | object,
  onFile?: (file: string) => void,
): Promise<DocumentRoutes> {
  const document = await loadDocument(source, onFile);
  const { table, requests, responses, warnings } = describeOperations(document);
  const create = { requests: createCompiler(requests), responses: createCompiler(responses) };
  const toRoutes = (value: unknown): unknown => {
    if (value instanceof ValidatorName) return create[value.set](value.id);
    if (Array.isArray(value)) return value.map(toRoutes);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toRoutes(item)]));
  };
  return { routes: toRoutes(table) as RouteTable, document: document.root, warnings };
}
