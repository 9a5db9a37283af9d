import type { Route } from '../src/runtime/route-table.ts';
import { InvalidDocumentError, isTooDeep, type OpenApiDocument, TOO_DEEP } from './document.ts';
import { describeOperations } from './operations.ts';
import { writeValidators } from './validators.ts';
import { writeIndex, writeRoutes } from './write-routes.ts';
import { writeTypes } from './write-types.ts';

export interface Generated {
  /** Texts by file name, always in the same order. */
  readonly files: ReadonlyMap<string, string>;
  readonly routes: readonly Route[];
}

/**
 * Generates types, routes and validators. Adds what is not checked or not served to the warnings of the document.
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
      ['routes.gen.ts', writeRoutes(table, request, response, runtime)],
      ['index.gen.ts', writeIndex(table, runtime)],
    ]);
    if (document.errors.length > 0) throw new InvalidDocumentError(document.errors);
    // Only now are all schemas known to be valid.
    files.set('types.gen.ts', writeTypes(document, table.routes));
    return { files, routes: table.routes };
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    document.error('#', TOO_DEEP);
    throw new InvalidDocumentError(document.errors);
  }
}
