import { stat } from 'node:fs/promises';

/**
 * Length of a file in bytes.
 *
 * @throws TypeError where it is no ordinary file
 */
export async function fileSize(file: string | URL): Promise<number> {
  const found = await stat(file);
  if (found.isFile()) return found.size;
  throw new TypeError(`${String(file)} is no file.`);
}
