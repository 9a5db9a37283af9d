import { appendFile, readFile, truncate } from 'node:fs/promises';
import { Failure } from '../output.ts';

interface ListedFile {
  /** Path in the storage, without a leading slash. */
  readonly path: string;
  readonly fileID: string;
  readonly size: number;
  /** Modification time of the local file, in milliseconds since the epoch. */
  readonly mtime: number;
}

/**
 * A local list of uploaded files, with one JSON object per line. Each finished upload adds a line, so
 * that an interrupted upload can be resumed, and the list shows what a storage folder contains.
 */
export interface FileList {
  readonly files: ReadonlyMap<string, ListedFile>;
  add(file: ListedFile): Promise<void>;
}

/**
 * Opens a list, which is empty if the file does not exist.
 *
 * @throws Failure if the file has another format
 */
export async function openFileList(name: string): Promise<FileList> {
  const files = new Map<string, ListedFile>();
  const text = await readOrEmpty(name);
  const lines = text.split('\n');
  // A crash may have truncated the last line; that file is uploaded again.
  const cut = lines.pop();
  for (const [index, line] of lines.entries()) {
    const file = parse(line);
    if (file) files.set(file.path, file);
    else throw new Failure(`${name}:${index + 1} is not an entry written by --list.`, 2);
  }
  let last = cut ? truncate(name, Buffer.byteLength(text) - Buffer.byteLength(cut)) : undefined;
  return {
    files,
    add(file) {
      files.set(file.path, file);
      last = Promise.resolve(last).then(() => appendFile(name, `${JSON.stringify(file)}\n`));
      return last;
    },
  };
}

async function readOrEmpty(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new Failure(`Cannot read the list: ${(error as Error).message}.`, 2);
  }
}

function parse(line: string): ListedFile | undefined {
  try {
    const { path, fileID, size, mtime } = JSON.parse(line);
    const isFile = typeof path === 'string' && typeof fileID === 'string';
    return isFile ? { path, fileID, size, mtime } : undefined;
  } catch {
    return undefined;
  }
}
