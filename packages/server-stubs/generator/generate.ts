import { FILES } from './names.ts';
import type { OpenApiDocument } from './openapi.ts';
import { describeOperations } from './operations.ts';
import { writeValidators } from './validators.ts';
import { writeIndex, writeRoutes } from './write-routes.ts';
import { writeTypes } from './write-types.ts';

/**
 * Writes types, routes and validators: file contents by name, always in the same order. The warnings say what is not
 * checked or not served.
 *
 * @param runtime what generated code imports
 * @param validators what validators import
 * @throws InvalidDocumentError
 */
export function generate(
  document: OpenApiDocument,
  runtime = '@berth/server-stubs/runtime',
  validators = runtime,
) {
  const { table, requests, responses, warnings } = describeOperations(document);
  const files = new Map<string, string>([
    [FILES.requests, writeValidators(requests, validators)],
    [FILES.responses, writeValidators(responses, validators)],
    [FILES.routes, writeRoutes(table, runtime)],
    [FILES.index, writeIndex(table, runtime)],
    [FILES.types, writeTypes(document, table.routes)],
  ]);
  return { files, routes: table.routes, warnings };
}
