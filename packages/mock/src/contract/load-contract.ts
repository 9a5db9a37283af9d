import { readFile } from 'node:fs/promises';
import type { RouteTable } from '@berth/server-stubs';
import { describeFileError } from '../files/describe-file-error.ts';
import { readYaml } from '../services/loading/read-yaml.ts';
import { describeServiceFault, type ServiceFault } from '../services/loading/service-fault.ts';
import { compileRoutes, RefusedDocument } from './compile-routes.ts';
import { type Contract, standardContract } from './contract.ts';
import type { DocumentName, Documents } from './documents.ts';
import type { OpenApiDocument } from './open-api.ts';
import { listOperations } from './operations.ts';
import { resolveRefs } from './resolve-refs.ts';

/** That a document of `contract` cannot be served: one line for each place that is wrong. */
export class ContractFileError extends TypeError {
  override readonly name = 'ContractFileError';
}

/**
 * The contract with documents of one's own in place of those of this version, such as the draft of a
 * change. Each is one bundled OpenAPI document, JSON or YAML; which of the two it replaces, its
 * operations say.
 *
 * @throws ContractFileError that names file, line and column
 */
export async function loadContract(files: readonly string[]): Promise<Contract> {
  const loaded = await Promise.all(files.map(loadDocument));
  const names = loaded.map(({ name }) => name);
  const twice = loaded.findIndex(({ name }, index) => names.indexOf(name) < index);
  if (twice >= 0) {
    throw new ContractFileError(
      `${files[twice]} is a second document of the ${names[twice]}: leave one of them out.`,
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

interface Loaded {
  readonly name: DocumentName;
  readonly document: OpenApiDocument;
  readonly routes: RouteTable;
}

async function loadDocument(file: string): Promise<Loaded> {
  const text = await readFile(file, 'utf8').catch((error: Error) =>
    fail([{ file, message: `The contract cannot be read: ${describeFileError(error)}.` }]),
  );
  const read = await readYaml(file, text);
  if (Array.isArray(read)) return fail(read);
  try {
    const routes = await compileRoutes(file);
    const document = resolveRefs(read.value as object) as OpenApiDocument;
    return { name: nameOf(routes) ?? fail([{ file, message: FOREIGN }]), document, routes };
  } catch (error) {
    if (error instanceof ContractFileError) throw error;
    if (!(error instanceof RefusedDocument)) return fail([{ file, message: toSentence(error) }]);
    const { places, message } = error;
    if (places.length === 0) {
      // The generator has read the file again: what is wrong may be newer than what was read here.
      const now = await readYaml(file, await readFile(file, 'utf8').catch(() => text));
      return fail(Array.isArray(now) ? now : [{ file, message }]);
    }
    return fail(places.map(({ path, message }) => ({ file, ...read.locate({ path }), message })));
  }
}

const FOREIGN = 'It has no operation of the gateway and none of the storage API.';

/** The document of the contract that knows the most of its operations. */
function nameOf({ routes }: RouteTable): DocumentName | undefined {
  const ids = new Set(routes.map(({ operationId }) => operationId));
  const counts = new Map<DocumentName, number>();
  for (const { id, document } of standardContract.operations) {
    if (ids.has(id)) counts.set(document, (counts.get(document) ?? 0) + 1);
  }
  const [[name] = []] = [...counts].sort(([, one], [, other]) => other - one);
  return name;
}

/** A schema inside itself has no end once its references are resolved. */
function toSentence(error: unknown): string {
  if (error instanceof RangeError) return 'A schema refers to itself, which the mock cannot serve.';
  return (error as Error).message;
}

function fail(faults: readonly ServiceFault[]): never {
  throw new ContractFileError(faults.map(describeServiceFault).join('\n'));
}
