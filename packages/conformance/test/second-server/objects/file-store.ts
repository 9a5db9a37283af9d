import { limits, makeOpaque } from '../choices.ts';

/** Files by their cloud path, which has no leading `/`. A file is written in one step, completely. */
export interface FileStore {
  /** Returns a new ID for the file at a path, whether or not it exists yet. */
  nameOf(path: string): string;
  /** Returns the path of an ID whose file exists. */
  find(id: string): string | undefined;
  read(path: string): Buffer | undefined;
  write(path: string, content: Buffer): void;
  remove(path: string): void;
  /** The paths of all files. */
  list(): string[];
  /** How often a file was written or removed. */
  countWrites(): number;
}

/** Keeps everything in memory. */
export function createFileStore(): FileStore {
  const contents = new Map<string, Buffer>();
  const paths = new Map<string, string>();
  let writes = 0;
  return {
    nameOf(path) {
      const id = makeOpaque('f_');
      paths.set(id, path);
      return id;
    },
    find(id) {
      const path = paths.get(id);
      return path !== undefined && contents.has(path) ? path : undefined;
    },
    read: (path) => contents.get(path),
    write(path, content) {
      writes += 1;
      contents.set(path, content);
    },
    remove(path) {
      writes += 1;
      contents.delete(path);
    },
    countWrites: () => writes,
    list: () => [...contents.keys()],
  };
}

/**
 * "Digits, lowercase and uppercase Latin letters, `/`, `!`, `-`, `_`, `.`, `,`, `*`, and Chinese characters",
 * with a leading `/` (D24). Segments that are empty, `.` or `..` are ordinary names.
 */
export function isFilePath(path: string): boolean {
  return /^\/[0-9A-Za-z/!\-_.,*\u4e00-\u9fff]+$/.test(path) && path.length <= limits.pathCharacters;
}
