import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RouteTable } from '@berth/server-stubs';
import { registerTypeScript } from '../typescript.js';
import { describeFileError } from '../util/folders.ts';
import { describeServiceFault, readYaml, type ServiceFault } from '../util/source-file.ts';
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

class RefusedDocument extends Error {
  override readonly name = 'RefusedDocument';
  readonly places: readonly { readonly path: readonly string[]; readonly message: string }[];

  /** @param text output of the generator: one place and JSON Pointer per line, followed by a sentence */
  constructor(text: string) {
    super(text.trim());
    this.places = [...text.matchAll(/^.*:\d+:\d+ #(\/\S*)\n((?: {2}.*\n)+)/gm)].map(
      ([, pointer = '', message = '']) => ({
        path: pointer.slice(1).split('/').map(unescapeStep),
        message: message.replaceAll(/\s+/g, ' ').trim(),
      }),
    );
  }
}

const FOREIGN = 'It has no operation of the gateway or the storage API.';

async function loadDocument(file: string) {
  const text = await readFile(file, 'utf8').catch((error: Error) =>
    fail([{ file, message: `Cannot read the contract: ${describeFileError(error)}.` }]),
  );
  const read = await readYaml(file, text);
  if (Array.isArray(read)) return fail(read);
  try {
    const routes = await compileRoutes(file);
    const document = toDocument(read.value as object);
    return { name: nameOf(routes) ?? fail([{ file, message: FOREIGN }]), document, routes };
  } catch (error) {
    if (error instanceof ContractFileError) throw error;
    if (!(error instanceof RefusedDocument)) return fail([{ file, message: toSentence(error) }]);
    const { places, message } = error;
    if (places.length === 0) {
      // The generator read the file itself, so it may have seen a newer version.
      const now = await readYaml(file, await readFile(file, 'utf8').catch(() => text));
      return fail(Array.isArray(now) ? now : [{ file, message }]);
    }
    return fail(places.map(({ path, message }) => ({ file, ...read.locate({ path }), message })));
  }
}

/**
 * Loads a document's routes and validators, which `berth-stubs` generates just as for the built-in contract.
 * Each version is imported from its own folder, so that it gets its own modules.
 *
 * @param file one OpenAPI document, JSON or YAML
 * @throws RefusedDocument
 */
async function compileRoutes(file: string): Promise<RouteTable> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-contract-'));
  try {
    await generate(file, folder);
    registerTypeScript();
    const { routes } = await import(pathToFileURL(join(folder, 'routes.gen.ts')).href);
    return routes;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function generate(file: string, folder: string): Promise<void> {
  const runtime = import.meta.resolve('@berth/server-stubs/runtime');
  const args = [
    findGenerator(),
    file,
    '--output',
    folder,
    '--runtime',
    runtime,
    '--strict',
    '--quiet',
  ];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, _, stderr) => {
      if (error === null) resolve();
      else reject(error.code === 2 ? new RefusedDocument(stderr) : error);
    });
  });
}

function findGenerator(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('@berth/server-stubs/package.json');
  return join(dirname(manifest), require(manifest).bin['berth-stubs']);
}

/** RFC 6901, section 4. */
function unescapeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
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
function toSentence(error: unknown): string {
  if (error instanceof RangeError)
    return 'A schema refers to itself, which the mock does not support.';
  return (error as Error).message;
}

function fail(faults: readonly ServiceFault[]): never {
  throw new ContractFileError(faults.map(describeServiceFault).join('\n'));
}
