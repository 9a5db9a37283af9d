import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { describeFileError } from '../../util/folders.ts';
import { readDocument } from '../../util/read-document.ts';
import {
  type ReadFile,
  readYaml,
  type ServiceFault,
  ServicesError,
} from '../../util/source-file.ts';
import { type CompiledService, mergeDocument } from '../compile-service.ts';
import type { DocumentOptions } from '../services.ts';
import { type FolderWatch, listFiles, type SourceFile, watchFolders } from './folders.ts';
import { createModuleLoader, type ModuleLoader, readModules } from './read-modules.ts';
import { type Validated, validateFile } from './validate-services.ts';

/** The current services in the files. For an invalid file, its last valid version is used. */
export type FileSource = Pick<Files, 'services' | 'faults' | 'close'>;

interface FileSourceOptions {
  /** Called with the changed files once all of them have been reloaded. */
  readonly onChange: (files: readonly string[]) => void;
  /** Called once per error or warning. */
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
    const faults = this.faults();
    if (faults.length === 0) return;
    this.close();
    throw new ServicesError(faults);
  }

  services = () => this.#services;

  faults = () => [...[...this.#entries.values()].flatMap(({ faults }) => faults), ...this.#faults];

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
    this.#loader?.close();
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
      const known = new Set(this.faults().map((fault) => JSON.stringify(fault)));
      const changed = await this.#reload();
      if (this.#isClosed) return;
      for (const fault of this.faults()) {
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
    const modules = files.filter(({ kind }) => kind === 'module');
    const others = files.filter(({ kind }) => kind !== 'module');
    this.#entries = new Map(
      [...others, ...modules].map(({ path }) => [
        path,
        before.get(path) ?? { parts: [], services: [], faults: [] },
      ]),
    );
    const changed = await Promise.all([
      ...others.map((file) => this.#readYaml(file)),
      this.#readModules(modules),
    ]);
    this.#collect();
    this.#follow(files);
    const gone = [...before.keys()].filter((path) => !this.#entries.has(path));
    return [...gone, ...changed.flat()];
  }

  async #readYaml(file: SourceFile): Promise<string[]> {
    const entry = this.#entries.get(file.path) as Entry;
    const readNow = () => readAll([file.path, ...entry.parts]);
    const text = await readNow();
    if (text === entry.text) return [];
    entry.text = text;
    if (file.kind === 'yaml')
      return this.#take(file, await readYaml(file.path, await readText(file.path)));
    const read = await readDocument(file.path);
    if (!Array.isArray(read)) {
      entry.parts = read.files;
      entry.text = await readNow();
      for (const { message, ...place } of read.warnings) {
        this.#options.onFault({ ...place, message: `Warning: ${message}` });
      }
    }
    return this.#take(file, read);
  }

  /** Modules may import shared files, so when one changes, all are reloaded. */
  async #readModules(files: readonly SourceFile[]): Promise<string[]> {
    if (files.length === 0) return [];
    const own = await readAll(files.map(({ path }) => path));
    if (own + (await readAll(this.#loader?.files ?? [])) === this.#modules) return [];
    this.#loader ??= createModuleLoader();
    const read = await readModules(files, this.#loader);
    this.#modules = own + (await readAll(this.#loader.files));
    const changed = await Promise.all(
      files.map((file, at) => this.#take(file, read[at] as ReadFile | ServiceFault[])),
    );
    return changed.flat();
  }

  async #take(file: SourceFile, read: ReadFile | ServiceFault[]): Promise<string[]> {
    const entry = this.#entries.get(file.path) as Entry;
    const validated: Validated = Array.isArray(read)
      ? { faults: read }
      : await validateFile(file, read, this.#options.documents);
    if ('faults' in validated) {
      entry.faults = validated.faults;
      return [];
    }
    entry.faults = [];
    entry.services = validated.services;
    for (const warning of validated.warnings ?? []) this.#options.onFault(warning);
    return [file.path];
  }

  #collect(): void {
    const services = new Map<string, CompiledService>();
    const owners = new Map<string, string>();
    const documents: CompiledService[] = [];
    const clashes: ServiceFault[] = [];
    for (const [path, entry] of this.#entries) {
      for (const service of entry.services) {
        const key = service.isDocument ? `${service.name}.openapi` : service.name;
        const owner = owners.get(key);
        if (owner === undefined) {
          owners.set(key, path);
          if (service.isDocument) documents.push(service);
          else services.set(service.name, service);
          continue;
        }
        const message = `Service ${service.name} is already defined in ${owner}: remove one of the files.`;
        clashes.push({ file: path, message });
      }
    }
    for (const document of documents) {
      const own = services.get(document.name);
      services.set(document.name, own === undefined ? document : mergeDocument(own, document));
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
