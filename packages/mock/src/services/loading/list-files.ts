import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

const MODULES = new Set(['.ts', '.mts', '.js', '.mjs']);
const YAML = new Set(['.yaml', '.yml']);

/** A file that defines services. */
export interface SourceFile {
  readonly path: string;
  readonly kind: 'module' | 'yaml';
  /** Name of the one service that it defines; undefined where it defines several by name. */
  readonly name: string | undefined;
}

/**
 * The files of a source: those of a folder, or the one file. Of a folder these are no services: names that
 * begin with `_` or `.`, type declarations, tests, folders, and every other kind of file.
 *
 * @throws Error of the file system; TypeError for a file of another kind
 */
export async function listFiles(path: string): Promise<readonly SourceFile[]> {
  if (!(await stat(path)).isDirectory()) {
    const kind = kindOf(path);
    if (kind !== undefined) return [{ path, kind, name: undefined }];
    throw new TypeError(
      'Services are defined in a .ts, .js, .yaml or .yml file, or a folder of such.',
    );
  }
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter(
      (entry) => !entry.isDirectory() && !/^[_.]|\.(d|test|spec)\.[mc]?[jt]s$/.test(entry.name),
    )
    .flatMap(({ name: file }): SourceFile[] => {
      const kind = kindOf(file);
      const name = file.slice(0, -extname(file).length);
      return kind === undefined ? [] : [{ path: join(path, file), kind, name }];
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function kindOf(file: string): SourceFile['kind'] | undefined {
  const extension = extname(file);
  if (MODULES.has(extension)) return 'module';
  return YAML.has(extension) ? 'yaml' : undefined;
}
