import { appendFile, readFile, truncate } from 'node:fs/promises';
import { Failure } from '../output.ts';

/** A file that has been uploaded. */
interface ListedFile {
  /** Cloud path, without a leading slash. */
  readonly path: string;
  readonly fileID: string;
  /** In bytes. */
  readonly size: number;
  /** Time of its last change on the disk that it came from, in milliseconds since the epoch. */
  readonly mtime: number;
}

/**
 * A list of uploaded files on disk, one JSON object a line. A line is added when a file is done, so an
 * upload that was broken off can go on, and the list tells what a folder of the storage holds.
 */
export interface FileList {
  /** By their paths. */
  readonly files: ReadonlyMap<string, ListedFile>;
  add(file: ListedFile): Promise<void>;
}

/**
 * Opens a list; one that is not there yet is empty.
 *
 * @throws Failure where the file is no list
 */
export async function openFileList(name: string): Promise<FileList> {
  const files = new Map<string, ListedFile>();
  const text = await readOrEmpty(name);
  const lines = text.split('\n');
  // A line that a crash has cut has no end; its file goes again.
  const cut = lines.pop();
  for (const [index, line] of lines.entries()) {
    const file = parse(line);
    if (file) files.set(file.path, file);
    else throw new Failure(`${name}:${index + 1} is no line of a list that --list has made.`, 2);
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
    throw new Failure(`The list cannot be read: ${(error as Error).message}.`, 2);
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
