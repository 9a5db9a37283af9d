import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder that cannot be used, described in one sentence. */
export class FolderError extends TypeError {
  override readonly name = 'FolderError';
}

/**
 * Creates a folder if it is missing, with its parents.
 *
 * @throws FolderError if it cannot be created or written
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
 * Step by step, because Node's own way never ends in a file system that refuses without a reason (`/proc`).
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
  ENOTDIR: 'a file is in its place',
  EACCES: 'this user has no permission to read it',
};

/** Why a file or a folder cannot be read, as the end of a sentence without its full stop. */
export function describeFileError({ code = '', message }: NodeJS.ErrnoException): string {
  return WORDS[code] ?? message;
}
