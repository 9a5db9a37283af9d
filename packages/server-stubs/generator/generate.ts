import type { RouteTable, Validator } from '../src/runtime/route-table.ts';
import { InvalidDocumentError, type Problem } from './document.ts';
import type { LoadedDocument } from './load.ts';
import { Names, toTypeName, toVariableName } from './names.ts';
import { readOperations, type SchemaUse } from './operations.ts';
import { type Direction, SchemaReader, SchemaSet, toComponentName } from './schemas.ts';
import { writeIndex } from './write-index.ts';
import { writeRoutes } from './write-routes.ts';
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
  const requests = new NamedValidators(new SchemaSet(reader, 'request', problems), 'requests');
  const responses = new NamedValidators(new SchemaSet(reader, 'response', problems), 'responses');
  const validators: Record<Direction, NamedValidators> = { request: requests, response: responses };
  const table = readOperations(document, problems, (use) => validators[use.direction].add(use));
  const write = ({ schemas, ids }: NamedValidators) =>
    writeValidators(schemas, ids, runtime, problems);

  const files = new Map([
    ['request-validators.gen.ts', write(requests)],
    ['response-validators.gen.ts', write(responses)],
    ['routes.gen.ts', writeRoutes(table, runtime)],
    ['index.gen.ts', writeIndex(table, runtime)],
  ]);
  if (problems.errors.length > 0) throw new InvalidDocumentError(problems.errors);
  // Only now are all schemas known to be valid.
  files.set('types.gen.ts', writeTypes(document, table, problems));
  return { files, warnings: problems.warnings, operations: table.routes };
}

/** Gives a name to each validator. Equal schemas share one. */
class NamedValidators {
  readonly schemas: SchemaSet;
  readonly ids = new Map<string, string>();
  readonly #module: string;
  readonly #names = new Names();
  readonly #byId = new Map<string, Validator>();

  constructor(schemas: SchemaSet, module: string) {
    this.schemas = schemas;
    this.#module = module;
  }

  /** @returns a function whose `name` is the expression that refers to the validator */
  add(use: SchemaUse): Validator | undefined {
    const id = this.schemas.add(use.schema, use.pointer);
    if (id === undefined) return undefined;
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const component = toComponentName(this.schemas.schemas.get(id)?.pointer ?? '#');
    const name = this.#names.take(
      component === undefined ? toVariableName(use.name) : `is${toTypeName(component)}`,
    );
    const expression = `${this.#module}.${name}`;
    const validator = { [expression]: () => true }[expression] as Validator;
    this.ids.set(name, id);
    this.#byId.set(id, validator);
    return validator;
  }
}
