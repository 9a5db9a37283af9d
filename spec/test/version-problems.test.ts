import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findVersionProblems } from '../scripts/check/version-problems.ts';
import { DOCUMENTS } from '../scripts/generate/bundle.ts';

const SPEC = join(import.meta.dirname, '..');
type Document = {
  info: { version: string };
  components: { schemas: Record<string, { required: string[]; description: string }> };
};

/** Releases the contract of today, then changes it. */
function change(edit: (storage: Document) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-version-'));
  for (const name of DOCUMENTS) {
    const document = JSON.parse(readFileSync(join(SPEC, `generated/${name}.gen.json`), 'utf8'));
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
    if (name === 'storage.v2') edit(document);
    writeFileSync(join(folder, `${name}.gen.json`), JSON.stringify(document));
  }
  return folder;
}

const breakIt = ({ components }: Document) =>
  components.schemas.CopyItem?.required.push('overwrite');

it('is content where nothing has changed', async () => {
  const folder = change(() => {});
  expect(await findVersionProblems(folder, folder, 'none')).toEqual([]);
});

it('asks for a version and a changeset where a sentence has changed', async () => {
  const folder = change(({ components }) => {
    if (components.schemas.CopyItem) components.schemas.CopyItem.description = 'Other words.';
  });
  expect(await findVersionProblems(folder, folder, 'none')).toEqual([
    expect.stringContaining('ask for a patch version. Raise info.version in spec/storage.v2'),
    expect.stringContaining(
      'need a patch changeset of @berth/spec, and the pending ones amount to none',
    ),
  ]);
});

it('names the new path prefix where a change breaks callers', async () => {
  const folder = change(breakIt);
  const [first, second] = await findVersionProblems(folder, folder, 'minor');
  expect(first).toContain('needs a new path prefix');
  expect(second).toContain('need a major changeset');
});

it('is content where version and changeset match the change', async () => {
  const folder = change((document) => {
    breakIt(document);
    document.info.version = '3.0.0';
  });
  expect(await findVersionProblems(folder, folder, 'major')).toEqual([]);
});

it('asks for a changeset of what was never released', async () => {
  const nothing = mkdtempSync(join(tmpdir(), 'berth-version-'));
  const problems = await findVersionProblems(nothing, join(SPEC, 'generated'), 'none');
  expect(problems).toHaveLength(2);
});
