import type { RouteTable } from '../src/runtime/route-table.ts';
import type { ReadContext } from './bodies.ts';
import { InvalidDocumentError, type Problem } from './document.ts';
import type { LoadedDocument } from './load.ts';
import { describeOperations } from './operations.ts';
import { SchemaSet } from './schema-set.ts';
import { SchemaReader } from './schemas.ts';
import { writeIndex } from './write-index.ts';
import { type WrittenValidator, writeRoutes } from './write-routes.ts';
import { writeTypes } from './write-types.ts';
import { writeValidators } from './write-validators.ts';

export interface Generated {
  /** Content by file name. The order is always the same. */
  readonly files: ReadonlyMap<string, string>;
  /** What is not checked or not served, and why. */
  readonly warnings: readonly Problem[];
  readonly operations: RouteTable['routes'];
}

/**
 * Generates types, handlers, routes and validators. The output is deterministic.
 *
 * @param runtime module specifier of the runtime in generated imports
 * @throws InvalidDocumentError
 */
export async function generate(
  { document, problems }: LoadedDocument,
  { runtime = '@berth/server-stubs/runtime' }: { readonly runtime?: string } = {},
): Promise<Generated> {
  const reader = new SchemaReader(document);
  const schemas = {
    request: new SchemaSet(reader, 'request', problems),
    response: new SchemaSet(reader, 'response', problems),
  };
  const toValidator: ReadContext['toValidator'] = (direction, schema, pointer) => {
    const id = schemas[direction].add(schema, pointer);
    if (id === undefined) return undefined;
    const expression = `${direction}s.${id}`;
    return Object.assign(() => true, { expression }) satisfies WrittenValidator;
  };
  const table = describeOperations({ reader, problems, toValidator });
  const files = new Map([
    ['request-validators.gen.ts', writeValidators(schemas.request, runtime, problems)],
    ['response-validators.gen.ts', writeValidators(schemas.response, runtime, problems)],
    ['routes.gen.ts', writeRoutes(table, runtime)],
    ['index.gen.ts', writeIndex(table, runtime)],
  ]);
  if (problems.errors.length > 0) throw new InvalidDocumentError(problems.errors);
  // Only now are all schemas known to be valid.
  files.set('types.gen.ts', writeTypes(document, table, problems));
  return { files, warnings: problems.warnings, operations: table.routes };
}
