import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder that cannot be used, in one sentence. */
export class FolderError extends TypeError {
  override readonly name = 'FolderError';
}

/**
 * Makes a folder where it is missing, and those above it.
 *
 * @throws FolderError where it cannot be made or written into
 */
export function makeFolder(folder: string): void {
  try {
    make(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new FolderError(`The folder ${folder} cannot be used: ${(error as Error).message}.`);
  }
}

/** Step by step, for Node's own way never ends in a file system that refuses without a reason (`/proc`). */
function make(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  const above = dirname(folder);
  if (above !== folder) make(above);
  mkdirSync(folder);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'there is a file in place of a folder',
  EACCES: 'this user may not read it',
};

/** Why a file or a folder cannot be read, as the end of a sentence without its full stop. */
export function describeFileError({ code = '', message }: NodeJS.ErrnoException): string {
  return WORDS[code] ?? message;
}
