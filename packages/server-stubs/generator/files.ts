import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes all files, or none if one cannot be written. A file whose text has not changed is left alone, so that
 * watchers are not triggered.
 */
export async function writeFiles(files: ReadonlyMap<string, string>): Promise<void> {
  const part = `.${randomUUID()}.part`;
  const changed: string[] = [];
  try {
    for (const [file, text] of files) {
      if ((await readText(file)) === text) continue;
      await mkdir(dirname(file), { recursive: true });
      changed.push(file);
      await writeFile(file + part, text, { flag: 'wx' });
    }
    for (const file of changed) await rename(file + part, file);
  } finally {
    for (const file of changed) await rm(file + part, { force: true });
  }
}

/** @returns `undefined` if the file does not exist */
async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    // Node.js does not say which one if it is a folder.
    throw Object.assign(error, { path: file });
  });
}
