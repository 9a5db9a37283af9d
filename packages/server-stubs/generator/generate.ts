import { writeValidators } from './ajv-adapter.ts';
import { FILES } from './names.ts';
import type { OpenApiDocument } from './openapi.ts';
import { describeOperations } from './operations.ts';
import { writeIndex, writeRoutes } from './write-routes.ts';
import { writeTypes } from './write-types.ts';

const RUNTIME = '@berth/server-stubs/runtime';

/**
 * Writes types, routes and validators: file contents by name, always in the same order. The warnings say what is not
 * checked or not served.
 *
 * @param specifiers what generated code imports as the runtime, and what its validators import
 * @throws InvalidDocumentError
 */
export function generate(
  document: OpenApiDocument,
  { runtime = RUNTIME, validators = RUNTIME } = {},
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
