import { InvalidDocumentError, type OpenApiDocument, TOO_DEEP } from './openapi.ts';
import { describeOperations } from './operations.ts';
import { writeIndex, writeRoutes } from './write-routes.ts';
import { writeTypes } from './write-types.ts';

type Modules = { runtime: string; validators?: string };

/**
 * Writes types, routes and validators: texts by file name, always in the same order. Adds what is not checked or not
 * served to the warnings of the document.
 *
 * @param modules specifiers of the runtime, and of what validators import from it, in generated imports
 * @throws InvalidDocumentError
 */
export function generate(
  document: OpenApiDocument,
  { runtime, validators = runtime }: Modules = { runtime: '@berth/server-stubs/runtime' },
) {
  try {
    const { table, requests, responses } = describeOperations(document);
    const files = new Map([
      ['request-validators.gen.ts', requests.toModule(validators)],
      ['response-validators.gen.ts', responses.toModule(validators)],
      ['routes.gen.ts', writeRoutes(table, runtime)],
      ['index.gen.ts', writeIndex(table, runtime)],
      ['types.gen.ts', writeTypes(document, table.routes)],
    ]);
    return { files, routes: table.routes };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidDocumentError([document.toProblem('#', TOO_DEEP)]);
  }
}
