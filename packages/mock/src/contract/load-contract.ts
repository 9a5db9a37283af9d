import { readFile } from 'node:fs/promises';
import type { RouteTable } from '@berth/server-stubs';
import { readRouteTable } from '@berth/server-stubs/service-document';
import { describeFileError } from '../util/folders.ts';
import { readDocument } from '../util/read-document.ts';
import { describeServiceFault, type ServiceFault } from '../util/source-file.ts';
import {
  type Contract,
  type DocumentName,
  type Documents,
  listOperations,
  standardContract,
  toDocument,
} from './contract.ts';

/** Thrown if a document in `contract` cannot be served. The message has one line per error. */
export class ContractFileError extends TypeError {
  override readonly name = 'ContractFileError';
}

/**
 * Loads the contract with custom documents instead of the built-in ones, for example to try out a draft. Each
 * file is a bundled OpenAPI document in JSON or YAML; its operations determine which of the two documents it
 * replaces.
 *
 * @throws ContractFileError that names file, line and column
 */
export async function loadContract(files: readonly string[]): Promise<Contract> {
  const loaded = await Promise.all(files.map(loadDocument));
  const names = loaded.map(({ name }) => name);
  const twice = loaded.findIndex(({ name }, index) => names.indexOf(name) < index);
  if (twice >= 0) {
    throw new ContractFileError(
      `${files[twice]} is a second document for the ${names[twice]}: remove one of them.`,
    );
  }
  const documents: Documents = {
    ...standardContract.documents,
    ...Object.fromEntries(loaded.map(({ name, document }) => [name, document])),
  };
  return {
    documents,
    operations: listOperations(documents),
    routes: Object.fromEntries(loaded.map(({ name, routes }) => [name, routes])),
  };
}

const FOREIGN = 'It has no operation of the gateway or the storage API.';

/** Its routes and validators are those that `berth-stubs` generates. Nothing of the document may be left out. */
async function loadDocument(file: string) {
  await readFile(file).catch((error: Error) =>
    fail([{ file, message: `Cannot read the contract: ${describeFileError(error)}.` }]),
  );
  const read = await readDocument(file);
  if (Array.isArray(read)) return fail(read);
  const { table, warnings } = readRouteTable(read.value);
  const located = warnings.map(({ path, message }) => ({
    file,
    ...read.locate({ path }),
    message,
  }));
  const faults = [...read.warnings, ...located];
  if (table === undefined || faults.length > 0) return fail(faults);
  const name = nameOf(table) ?? fail([{ file, message: FOREIGN }]);
  return { name, document: resolveAll(file, read.value as object), routes: table };
}

/** Returns the built-in document that shares the most operations with this one. */
function nameOf({ routes }: RouteTable): DocumentName | undefined {
  const ids = new Set(routes.map(({ operationId }) => operationId));
  const counts = new Map<DocumentName, number>();
  for (const { id, document } of standardContract.operations) {
    if (ids.has(id)) counts.set(document, (counts.get(document) ?? 0) + 1);
  }
  const [[name] = []] = [...counts].sort(([, one], [, other]) => other - one);
  return name;
}

/** Resolving the references of a recursive schema would never end. */
function resolveAll(file: string, document: object) {
  try {
    return toDocument(document);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'A schema refers to itself, which the mock does not support.';
    return fail([{ file, message }]);
  }
}

function fail(faults: readonly ServiceFault[]): never {
  throw new ContractFileError(faults.map(describeServiceFault).join('\n'));
}
