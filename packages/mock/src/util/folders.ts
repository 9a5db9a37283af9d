import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Thrown if a folder cannot be used. The message is one sentence. */
export class FolderError extends TypeError {
  override readonly name = 'FolderError';
}

/**
 * Creates a folder and its missing parents.
 *
 * @throws FolderError if it cannot be created or written to
 */
export function makeFolder(folder: string): void {
  try {
    make(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new FolderError(`The folder ${folder} cannot be used: ${(error as Error).message}.`);
  }
}

/**
 * Creates one level at a time, because Node's own recursion never ends on a file system that rejects without
 * a reason (`/proc`).
 */
function make(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  const above = dirname(folder);
  if (above !== folder) make(above);
  mkdirSync(folder);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is a file, not a folder',
  EACCES: 'permission denied',
};

/** Returns why a file or a folder cannot be read, as the end of a sentence without its full stop. */
export function describeFileError({ code = '', message }: NodeJS.ErrnoException): string {
  return WORDS[code] ?? message;
}
