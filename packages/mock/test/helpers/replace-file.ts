import { rename, writeFile } from 'node:fs/promises';

/** Writes a file in one step, so that a mock that watches it never reads half of it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
