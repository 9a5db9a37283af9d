import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPendingBump, findVersionProblems } from '../scripts/check-version.ts';

import { DOCUMENTS } from '../scripts/generate/bundle.ts';

const SPEC = join(import.meta.dirname, '..');
type Document = {
  info: { version: string };
  components: {
    schemas: Record<string, { required: string[]; description: string; properties: object }>;
  };
};

/** Releases the current contract, then changes it. */
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

it('reports nothing if nothing has changed', async () => {
  const folder = change(() => {});
  expect(await findVersionProblems(folder, folder, 'none')).toEqual([]);
});

it('asks for a version and a changeset if a sentence has changed', async () => {
  const folder = change(({ components }) => {
    if (components.schemas.CopyItem) components.schemas.CopyItem.description = 'Other words.';
  });
  expect(await findVersionProblems(folder, folder, 'none')).toEqual([
    expect.stringContaining('require a patch version. Raise info.version in spec/storage.v2'),
    expect.stringContaining(
      'require a patch changeset for @berth/spec, but the pending bump is none',
    ),
  ]);
});

it('asks for a new path prefix if a change breaks callers', async () => {
  const folder = change(breakIt);
  const [first, second] = await findVersionProblems(folder, folder, 'minor');
  expect(first).toContain('needs a new path prefix');
  expect(second).toContain('require a major changeset');
});

it('reports nothing if version and changeset match the change', async () => {
  const folder = change((document) => {
    breakIt(document);
    document.info.version = '3.0.0';
  });
  expect(await findVersionProblems(folder, folder, 'major')).toEqual([]);
});

it('asks for a minor version after a patch version that is pending', async () => {
  const folder = change(({ components, info }) => {
    Object.assign(components.schemas.CopyItem?.properties ?? {}, { note: { type: 'string' } });
    info.version = '2.0.1';
  });
  const problems = await findVersionProblems(folder, folder, 'patch');
  expect(problems).toEqual([
    expect.stringContaining('require a minor version. Raise info.version in spec/storage.v2'),
    expect.stringContaining('require a minor changeset for @berth/spec'),
  ]);
});

it('asks for a changeset if only the version was raised', async () => {
  const folder = change(({ info }) => {
    info.version = '2.0.1';
  });
  expect(await findVersionProblems(folder, folder, 'none')).toEqual([
    expect.stringContaining('require a patch changeset for @berth/spec'),
  ]);
  expect(await findVersionProblems(folder, folder, 'patch')).toEqual([]);
});

it.each([
  ['none without changesets', [], 'none'],
  [
    'none if only another package has one',
    [[{ name: '@berth/client', type: 'major' as const }]],
    'none',
  ],
  [
    'its own, regardless of a linked package',
    [
      [
        { name: '@berth/spec', type: 'patch' as const },
        { name: '@berth/client', type: 'major' as const },
      ],
    ],
    'patch',
  ],
  [
    'the highest of several',
    [
      [{ name: '@berth/spec', type: 'minor' as const }],
      [{ name: '@berth/spec', type: 'patch' as const }],
    ],
    'minor',
  ],
])('the pending bump is %s', (_, changesets, bump) => {
  expect(findPendingBump(changesets.map((releases) => ({ releases })))).toBe(bump);
});

it('asks for a changeset for a document that was never released', async () => {
  const nothing = mkdtempSync(join(tmpdir(), 'berth-version-'));
  const problems = await findVersionProblems(nothing, join(SPEC, 'generated'), 'none');
  expect(problems).toHaveLength(2);
});
