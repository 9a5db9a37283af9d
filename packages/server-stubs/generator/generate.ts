import type { RouteTable } from '../src/runtime/route-table.ts';
import { InvalidDocumentError, isTooDeep, type OpenApiDocument, TOO_DEEP } from './document.ts';
import { describeOperations } from './operations.ts';
import { writeIndex } from './write-index.ts';
import { writeRoutes } from './write-routes.ts';
import { writeTypes } from './write-types.ts';
import { writeValidators } from './write-validators.ts';

export interface Generated {
  /** Content by file name. The order is always the same. */
  readonly files: ReadonlyMap<string, string>;
  /** What is not checked or not served, and why. */
  readonly warnings: OpenApiDocument['warnings'];
  readonly operations: RouteTable['routes'];
}

/**
 * Generates types, handlers, routes and validators. The output is deterministic.
 *
 * @param runtime module specifier of the runtime in generated imports
 * @throws InvalidDocumentError
 */
export function generate(
  document: OpenApiDocument,
  runtime = '@berth/server-stubs/runtime',
): Generated {
  try {
    const { table, request, response } = describeOperations(document);
    const files = new Map([
      ['request-validators.gen.ts', writeValidators(request, runtime, document)],
      ['response-validators.gen.ts', writeValidators(response, runtime, document)],
      ['routes.gen.ts', writeRoutes(table, runtime)],
      ['index.gen.ts', writeIndex(table, runtime)],
    ]);
    if (document.errors.length > 0) throw new InvalidDocumentError(document.errors);
    // Only now are all schemas known to be valid.
    files.set('types.gen.ts', writeTypes(document, table));
    return { files, warnings: document.warnings, operations: table.routes };
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    document.error('#', TOO_DEEP);
    throw new InvalidDocumentError(document.errors);
  }
}
