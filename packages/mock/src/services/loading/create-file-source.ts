import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { describeFileError } from '../../util/folders.ts';
import {
  type ReadFile,
  readYaml,
  type ServiceFault,
  ServicesError,
} from '../../util/source-file.ts';
import { type CompiledService, mergeDocument } from '../compile-service.ts';
import type { DocumentOptions } from '../services.ts';
import { type FolderWatch, listFiles, type SourceFile, watchFolders } from './folders.ts';
import { readDocument } from './read-document.ts';
import { createModuleLoader, type ModuleLoader, readModules } from './read-modules.ts';
import { type Validated, validateFile } from './validate-services.ts';

/** The current services in the files. For an invalid file, its last valid version is used. */
export interface FileSource {
  services(): ReadonlyMap<string, CompiledService>;
  faults(): readonly ServiceFault[];
  close(): void;
}

export interface FileSourceOptions {
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

class Files implements FileSource {
  readonly #path: string;
  readonly #options: FileSourceOptions;
  /** The last text read of each YAML file, and of all modules together. */
  readonly #texts = new Map<string, string>();
  /** The files that each document consists of. */
  readonly #parts = new Map<string, readonly string[]>();
  readonly #good = new Map<string, readonly CompiledService[]>();
  #faults = new Map<string, readonly ServiceFault[]>();
  #clashes: readonly ServiceFault[] = [];
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

  faults = () => [...[...this.#faults.values()].flat(), ...this.#clashes];

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
    let files: readonly SourceFile[];
    try {
      files = await listFiles(this.#path, this.#options.documents.isRoot);
    } catch (error) {
      this.#faults.set(this.#path, [
        { file: this.#path, message: describe(error, this.#options.documents.isRoot) },
      ]);
      this.#follow([]);
      return [];
    }
    this.#faults.delete(this.#path);
    const changed = [
      ...this.#forget(files),
      ...(await this.#readYamls(files.filter(({ kind }) => kind !== 'module'))),
      ...(await this.#readModules(files.filter(({ kind }) => kind === 'module'))),
    ];
    this.#collect();
    this.#follow(files);
    return changed;
  }

  #forget(files: readonly SourceFile[]): string[] {
    const paths = new Set(files.map(({ path }) => path));
    const gone = [...new Set([...this.#good.keys(), ...this.#faults.keys()])].filter(
      (path) => !paths.has(path),
    );
    for (const path of gone) {
      this.#good.delete(path);
      this.#faults.delete(path);
      this.#texts.delete(path);
      this.#parts.delete(path);
    }
    return gone;
  }

  async #readYamls(files: readonly SourceFile[]): Promise<string[]> {
    const changed = await Promise.all(
      files.map(async (file) => {
        const isDocument = file.kind === 'document';
        const readAgain = () =>
          isDocument ? readAll(this.#parts.get(file.path) ?? [file.path]) : readText(file.path);
        const text = await readAgain();
        if (text === this.#texts.get(file.path)) return [];
        this.#texts.set(file.path, text);
        if (!isDocument) return this.#take(file, await readYaml(file.path, text));
        const read = await readDocument(file.path);
        if (!Array.isArray(read)) {
          this.#parts.set(file.path, read.files);
          this.#texts.set(file.path, await readAgain());
          for (const { message, ...place } of read.warnings) {
            this.#options.onFault({ ...place, message: `Warning: ${message}` });
          }
        }
        return this.#take(file, read);
      }),
    );
    return changed.flat();
  }

  /** Modules may import shared files, so when one changes, all are reloaded. */
  async #readModules(files: readonly SourceFile[]): Promise<string[]> {
    if (files.length === 0) return [];
    const own = await readAll(files.map(({ path }) => path));
    const imported = await readAll(this.#loader?.files ?? []);
    if (own + imported === this.#texts.get(MODULES)) return [];
    this.#loader ??= createModuleLoader();
    const read = await readModules(files, this.#loader);
    this.#texts.set(MODULES, own + (await readAll(this.#loader.files)));
    const changed = await Promise.all(
      files.map((file, at) => this.#take(file, read[at] as ReadFile | ServiceFault[])),
    );
    return changed.flat();
  }

  async #take(file: SourceFile, read: ReadFile | ServiceFault[]): Promise<string[]> {
    const validated: Validated = Array.isArray(read)
      ? { faults: read }
      : await validateFile(file, read, this.#options.documents);
    if ('faults' in validated) {
      this.#faults.set(file.path, validated.faults);
      return [];
    }
    this.#faults.delete(file.path);
    this.#good.set(file.path, validated.services);
    for (const warning of validated.warnings ?? []) this.#options.onFault(warning);
    return [file.path];
  }

  #collect(): void {
    const services = new Map<string, CompiledService>();
    const owners = new Map<string, string>();
    const documents: CompiledService[] = [];
    const clashes: ServiceFault[] = [];
    for (const [path, found] of this.#good) {
      for (const service of found) {
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
    this.#clashes = clashes;
  }

  #follow(files: readonly SourceFile[]): void {
    const modules = this.#loader?.files ?? [];
    const parts = [...this.#parts.values()].flat();
    const folders = [...files.map(({ path }) => path), ...modules, ...parts].map((path) =>
      dirname(resolve(path)),
    );
    // A folder is watched itself; for a single file, its parent folder is.
    const isFolder = files.every(({ path }) => path !== this.#path);
    this.#watch?.set(
      new Set([isFolder ? resolve(this.#path) : dirname(resolve(this.#path)), ...folders]),
    );
  }
}

const MODULES = '';

async function readAll(paths: Iterable<string>): Promise<string> {
  return JSON.stringify(
    await Promise.all([...paths].map(async (path) => [path, await readText(path)])),
  );
}

/**
 * Reads a file. Returns an empty text if the file has since been removed, because its removal is the next
 * change.
 */
function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function describe(error: unknown, isDocument: boolean): string {
  return error instanceof TypeError
    ? error.message
    : `Cannot read the ${isDocument ? 'document' : 'services'}: ${describeFileError(error as Error)}.`;
}
