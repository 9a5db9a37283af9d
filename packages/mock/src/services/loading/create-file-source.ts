import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type CompiledService, compileService, findServiceFaults } from '../compile-service.ts';
import type { DocumentOptions } from '../document-service.ts';
import type { FakeService } from '../fake-service.ts';
import { findNameFault } from '../routes.ts';
import { describeFileError, type ServiceFault, ServicesError } from '../services.ts';
import { type FolderWatch, listFiles, type SourceFile, watchFolders } from './folders.ts';
import { createModuleLoader, type ModuleLoader, readModules } from './read-modules.ts';

/** The current services in the files. For an invalid file, its last valid version is used. */
export type FileSource = Pick<Files, 'services' | 'close'>;

interface FileSourceOptions {
  /** Called with the changed files once all of them have been reloaded. */
  readonly onChange: (files: readonly string[]) => void;
  /** Called once per error. */
  readonly onFault: (fault: ServiceFault) => void;
  /** How OpenAPI documents are served. If `isRoot` is set, the path is that of a single document. */
  readonly documents: DocumentOptions;
}

/**
 * Creates a source that loads the services in a folder or a file, and reloads files that change.
 *
 * @throws ServicesError if a file is invalid on startup
 */
export async function createFileSource(
  path: string,
  options: FileSourceOptions,
): Promise<FileSource> {
  const source = new Files(path, options);
  await source.start();
  return source;
}

/** What is known about a file. */
interface Entry {
  /** The text that was read last: of all its parts if it is a document. */
  text?: string;
  /** The files that a document consists of. */
  parts: readonly string[];
  /** Those of the last valid version. */
  services: readonly CompiledService[];
  faults: readonly ServiceFault[];
}

class Files {
  readonly #path: string;
  readonly #options: FileSourceOptions;
  #entries = new Map<string, Entry>();
  /** The text of all modules, which may import each other. */
  #modules: string | undefined;
  /** Errors that concern several files, or all. */
  #faults: readonly ServiceFault[] = [];
  #services: ReadonlyMap<string, CompiledService> = new Map();
  #loader: ModuleLoader | undefined;
  #watch: FolderWatch | undefined;
  #reloading: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;

  constructor(path: string, options: FileSourceOptions) {
    this.#path = path;
    this.#options = options;
  }

  async start(): Promise<void> {
    // Watch first, so that no change in between is missed.
    this.#watch = watchFolders(() => this.#change());
    this.#watch.set([resolve(this.#path)]);
    await this.#reload();
    const faults = this.#allFaults();
    if (faults.length === 0) return;
    this.close();
    throw new ServicesError(faults);
  }

  services = () => this.#services;

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
    this.#loader?.close();
  }

  #allFaults(): readonly ServiceFault[] {
    return [...[...this.#entries.values()].flatMap(({ faults }) => faults), ...this.#faults];
  }

  #change(): void {
    this.#isStale = true;
    this.#reloading ??= this.#reloadAll().finally(() => {
      this.#reloading = undefined;
    });
  }

  async #reloadAll(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      const known = new Set(this.#allFaults().map((fault) => JSON.stringify(fault)));
      const changed = await this.#reload();
      if (this.#isClosed) return;
      for (const fault of this.#allFaults()) {
        if (!known.has(JSON.stringify(fault))) this.#options.onFault(fault);
      }
      if (changed.length > 0) this.#options.onChange(changed);
    }
  }

  /** @returns the files whose version has changed */
  async #reload(): Promise<readonly string[]> {
    const { isRoot } = this.#options.documents;
    let files: readonly SourceFile[] = [];
    try {
      files = await listFiles(this.#path, isRoot);
      return await this.#readAll(files);
    } catch (error) {
      // A file that is deleted while it is read is a change, too: it is reported next.
      this.#faults = [{ file: this.#path, message: describe(error, isRoot) }];
      this.#follow(files);
      return [];
    }
  }

  async #readAll(files: readonly SourceFile[]): Promise<readonly string[]> {
    const before = this.#entries;
    this.#entries = new Map(
      files.map(({ path }) => [path, before.get(path) ?? { parts: [], services: [], faults: [] }]),
    );
    const documents = files.filter(({ kind }) => kind === 'document');
    const changed = await Promise.all([
      ...documents.map((file) => this.#readDocument(file)),
      this.#readModules(files.filter(({ kind }) => kind === 'module')),
    ]);
    this.#collect();
    this.#follow(files);
    const gone = [...before.keys()].filter((path) => !this.#entries.has(path));
    return [...gone, ...changed.flat()];
  }

  async #readDocument({ path, name = '' }: SourceFile): Promise<string[]> {
    const entry = this.#entries.get(path) as Entry;
    const parts = await listParts(path);
    const text = await readAll(parts);
    if (text === entry.text) return [];
    Object.assign(entry, { text, parts });
    const { documents } = this.#options;
    const nameFault = documents.isRoot ? undefined : findNameFault(name);
    if (nameFault !== undefined) return fail(entry, path, toNameFault(name, nameFault));
    // Prism is slow to load.
    const { createDocumentService } = await import('../document-service.ts');
    try {
      const document = await createDocumentService(path, documents);
      return succeed(entry, path, [{ name, routes: [], proxy: undefined, document }]);
    } catch (error) {
      const [message = ''] = (error as Error).message.split('\n');
      return fail(
        entry,
        path,
        `Prism cannot read the document: ${message.replace(/[:.]*\s*$/, '.')}`,
      );
    }
  }

  /** Modules may import shared files, so when one changes, all are reloaded. */
  async #readModules(files: readonly SourceFile[]): Promise<string[]> {
    if (files.length === 0) return [];
    const own = await readAll(files.map(({ path }) => path));
    if (own + (await readAll(this.#loader?.files ?? [])) === this.#modules) return [];
    this.#loader ??= createModuleLoader();
    const read = await readModules(files, this.#loader);
    this.#modules = own + (await readAll(this.#loader.files));
    return files.flatMap(({ path, name }, at) => {
      const entry = this.#entries.get(path) as Entry;
      const { value, fault } = read[at] as Awaited<ReturnType<typeof readModules>>[number];
      if (fault !== undefined) {
        entry.faults = [fault];
        return [];
      }
      const definitions = name === undefined ? value : { [name]: value };
      const faults = findFaults(definitions, name);
      return faults.length > 0
        ? fail(entry, path, ...faults)
        : succeed(entry, path, compileAll(definitions as Record<string, FakeService>));
    });
  }

  #collect(): void {
    const services = new Map<string, CompiledService>();
    const owners = new Map<string, string>();
    const clashes: ServiceFault[] = [];
    for (const [path, entry] of this.#entries) {
      for (const service of entry.services) {
        const owner = owners.get(service.name);
        if (owner === undefined) {
          owners.set(service.name, path);
          services.set(service.name, service);
          continue;
        }
        const message = `Service ${service.name} is already defined in ${owner}: remove one of the files.`;
        clashes.push({ file: path, message });
      }
    }
    this.#services = services;
    this.#faults = clashes;
  }

  #follow(files: readonly SourceFile[]): void {
    const parts = [...this.#entries.values()].flatMap((entry) => entry.parts);
    const paths = [...files.map(({ path }) => path), ...(this.#loader?.files ?? []), ...parts];
    // A folder is watched itself; for a single file, its parent folder is.
    const isFolder = files.every(({ path }) => path !== this.#path);
    const own = isFolder ? resolve(this.#path) : dirname(resolve(this.#path));
    this.#watch?.set([own, ...paths.map((path) => dirname(resolve(path)))]);
  }
}

function fail(entry: Entry, file: string, ...messages: string[]): string[] {
  entry.faults = messages.map((message) => ({ file, message }));
  return [];
}

function succeed(entry: Entry, file: string, services: readonly CompiledService[]): string[] {
  entry.faults = [];
  entry.services = services;
  return [file];
}

/** @param fileName the name of a file with one service, which is named after it */
function findFaults(definitions: unknown, fileName: string | undefined): string[] {
  const entries = Object.entries(definitions ?? {});
  return entries.flatMap(([name, service]) => {
    const nameFault = findNameFault(name);
    const prefix = fileName === undefined ? `${name}: ` : '';
    const faults = findServiceFaults(service).map((fault) => prefix + fault);
    if (nameFault === undefined) return faults;
    return [
      fileName === undefined ? `${name} ${nameFault}` : toNameFault(name, nameFault),
      ...faults,
    ];
  });
}

function toNameFault(name: string, fault: string): string {
  return `The file name ${name} ${fault} Rename the file, or add the prefix _ if it is not a service.`;
}

function compileAll(definitions: Readonly<Record<string, FakeService>>): CompiledService[] {
  return Object.entries(definitions).map(([name, service]) => compileService(name, service));
}

/** Returns a document and the local files that it refers to. */
async function listParts(file: string, known = new Set<string>()): Promise<readonly string[]> {
  if (known.has(file)) return [...known];
  known.add(file);
  const text = await readText(file);
  for (const [, target = ''] of text.matchAll(/\$ref["']?\s*:\s*["']?([^"'#\s]+)/g)) {
    if (!/^[a-z][a-z\d+.-]*:/i.test(target)) await listParts(resolve(dirname(file), target), known);
  }
  return [...known];
}

async function readAll(paths: Iterable<string>): Promise<string> {
  return JSON.stringify(await Promise.all(Array.from(paths, readText)));
}

/** A file that has since been removed counts as empty, because its removal is the next change. */
function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function describe(error: unknown, isDocument: boolean): string {
  return error instanceof TypeError
    ? error.message
    : `Cannot read the ${isDocument ? 'document' : 'services'}: ${describeFileError(error as Error)}.`;
}
