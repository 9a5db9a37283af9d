import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Writes a generated file with its mark in the first line; in JSON, as first property. The file is
 * replaced in one step, and only where its text has changed, so that watchers stay quiet.
 */
export async function writeMarked(
  file: string,
  content: string | object,
  mark: string,
): Promise<void> {
  const text =
    typeof content === 'string'
      ? `// ${mark}\n\n${content.trim()}\n`
      : `${JSON.stringify({ 'x-generated': mark, ...content }, null, 2)}\n`;
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  await makeFolder(dirname(file));
  const part = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(part, text, { flag: 'wx' });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
