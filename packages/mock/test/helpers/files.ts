import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = mkdtempSync(join(tmpdir(), 'berth-mock-'));
process.once('exit', () => rmSync(ROOT, { recursive: true, force: true }));

/** Writes files to a new folder, whose name has a space. Returns their paths. */
export async function writeFiles(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(ROOT, 'my files-'));
  return Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return path;
    }),
  );
}

/** Writes a file in one step, so that a mock that watches it never reads half of it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
