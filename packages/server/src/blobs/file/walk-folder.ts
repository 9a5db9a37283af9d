import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskCodeOf } from './disk-error.ts';

export interface Found {
  readonly path: string;
  readonly kind: 'file' | 'empty-folder' | 'other';
}

/** All that stands below a folder. Symbolic links are `other`, and not followed. */
export async function* walkFolder(folder: string): AsyncGenerator<Found> {
  for (const entry of await readEntries(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      yield { path, kind: entry.isFile() ? 'file' : 'other' };
      continue;
    }
    let isEmpty = true;
    for await (const found of walkFolder(path)) {
      isEmpty = false;
      yield found;
    }
    if (isEmpty) yield { path, kind: 'empty-folder' };
  }
}

/** None where the folder was removed with its last file in the meantime. */
async function readEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
