import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SPEC = join(import.meta.dirname, '..');

function read(name: string) {
  return JSON.parse(readFileSync(join(SPEC, `generated/${name}.gen.json`), 'utf8'));
}

it('offers existing files of the package for download, which it also exports', () => {
  const { exports } = createRequire(import.meta.url)('../package.json');
  const files = read('downloads').downloads.map(({ file }: { file: string }) => file);
  for (const file of files) expect(existsSync(join(SPEC, file)), file).toBe(true);
  const documents = files.filter((file: string) => !file.includes('/workflows/'));
  expect(Object.values(exports)).toEqual(
    expect.arrayContaining(documents.map((file: string) => `./${file}`)),
  );
});
