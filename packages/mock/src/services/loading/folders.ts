import { type FSWatcher, statSync, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

/** A file that defines services. */
export interface SourceFile {
  readonly path: string;
  /** `document`: the OpenAPI document of a service. */
  readonly kind: 'module' | 'document';
  /** Name of the service it defines; undefined if it defines several by name. */
  readonly name: string | undefined;
}

/**
 * Lists the files of a source: those in a folder, or a single file, which may be a document with any name.
 * Other files in the folder are ignored: those whose names begin with `_` or `.`, type declarations, tests,
 * subfolders, and any other file type.
 *
 * @throws Error from the file system; TypeError for an unsupported file type
 */
export async function listFiles(path: string, isDocument = false): Promise<readonly SourceFile[]> {
  if (isDocument) {
    await stat(path);
    return [{ path, kind: 'document', name: basename(path).replace(/(\.openapi)?\.[^.]*$/, '') }];
  }
  if (!(await stat(path)).isDirectory()) {
    const kind = kindOf(path);
    if (kind === 'document') return [{ path, kind, name: nameOf(basename(path)) }];
    if (kind !== undefined) return [{ path, kind, name: undefined }];
    throw new TypeError(
      'Define services in a .ts, .js, .openapi.yaml or .openapi.json file, or in a folder of such files.',
    );
  }
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter(
      (entry) => !entry.isDirectory() && !/^[_.]|\.(d|test|spec)\.[mc]?[jt]s$/.test(entry.name),
    )
    .flatMap(({ name: file }): SourceFile[] => {
      const kind = kindOf(file);
      return kind === undefined ? [] : [{ path: join(path, file), kind, name: nameOf(file) }];
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

const MODULES = new Set(['.ts', '.mts', '.js', '.mjs']);

const DOCUMENT = /\.openapi\.(ya?ml|json)$/;

function nameOf(file: string): string {
  return file.slice(0, -(DOCUMENT.exec(file)?.[0] ?? extname(file)).length);
}

function kindOf(file: string): SourceFile['kind'] | undefined {
  if (DOCUMENT.test(file)) return 'document';
  return MODULES.has(extname(file)) ? 'module' : undefined;
}

/** Editors may write a file in several steps. */
const DEBOUNCE_MILLISECONDS = 50;

/** How often to check for a folder that has been removed. */
const MISSING_MILLISECONDS = 500;

export type FolderWatch = ReturnType<typeof watchFolders>;

/**
 * Watches folders rather than the files in them, because editors replace files and add new ones. Does not use
 * chokidar, because it stops reporting a watched file once
 * the file's folder has been removed and created again.
 *
 * @param onChange called once for changes that happen at the same time
 */
export function watchFolders(onChange: () => void) {
  const watched = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  let wanted = new Set<string>();
  let debounce: NodeJS.Timeout | undefined;
  let search: NodeJS.Timeout | undefined;

  const notify = () => {
    clearTimeout(debounce);
    debounce = setTimeout(onChange, DEBOUNCE_MILLISECONDS).unref();
  };

  const drop = (folder: string) => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };

  /** @returns whether the folder is newly watched */
  const take = (folder: string): boolean => {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    if (inode !== undefined && watched.get(folder)?.inode === inode) return false;
    drop(folder);
    if (inode === undefined) return false;
    try {
      const watcher = watch(folder, { persistent: false }, notify);
      watcher.on('error', () => drop(folder));
      watched.set(folder, { inode, watcher });
      return true;
    } catch {
      return false;
    }
  };

  const searchOn = () => {
    clearTimeout(search);
    const isBack = [...wanted].filter(take).length > 0;
    if (isBack) notify();
    if (watched.size < wanted.size) search = setTimeout(searchOn, MISSING_MILLISECONDS).unref();
  };

  return {
    /** Sets the folders to watch. */
    set(folders: Iterable<string>): void {
      wanted = new Set(folders);
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) take(folder);
      clearTimeout(search);
      if (watched.size < wanted.size) search = setTimeout(searchOn, MISSING_MILLISECONDS).unref();
    },
    close(): void {
      clearTimeout(debounce);
      clearTimeout(search);
      wanted.clear();
      for (const folder of watched.keys()) drop(folder);
    },
  };
}
