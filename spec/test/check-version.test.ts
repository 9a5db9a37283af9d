import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  findPendingBump,
  findReleaseProblems,
  findVersionProblems,
} from '../scripts/check-version.ts';
import { DOCUMENTS } from '../scripts/generate/bundle.ts';

const GENERATED = join(import.meta.dirname, '../generated');

// biome-ignore lint/suspicious/noExplicitAny: the changes reach into every corner of a document
type Document = any;

/** Releases the current contract, then changes it. */
function change(edit: (storage: Document) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-version-'));
  for (const name of DOCUMENTS) {
    const document = JSON.parse(readFileSync(join(GENERATED, `${name}.gen.json`), 'utf8'));
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
    if (name === 'storage.v2') edit(document);
    writeFileSync(join(folder, `${name}.gen.json`), JSON.stringify(document));
  }
  return folder;
}

const nothing = () => {};
const describeAnew = ({ components }: Document) => {
  components.schemas.CopyItem.description = 'Other words.';
};
const extend = ({ components, info }: Document) => {
  components.schemas.CopyItem.properties.note = { type: 'string' };
  info.version = '2.0.1';
};
const breakIt = ({ components }: Document) =>
  components.schemas.CopyItem.required.push('overwrite');
const raiseTo = (version: string) => (document: Document) => {
  document.info.version = version;
};

it.each([
  ['nothing if nothing has changed', nothing, 'none', []],
  [
    'a version and a changeset if a sentence has changed',
    describeAnew,
    'none',
    [
      /require a patch version\. Raise info\.version in spec\/storage\.v2\.yaml/,
      /a patch changeset for @berth\/spec, but the pending bump is none/,
    ],
  ],
  [
    'a new path prefix if a change breaks callers',
    breakIt,
    'minor',
    [/needs a new path prefix/, /a major changeset/],
  ],
  [
    'nothing if version and changeset match the change',
    (document: Document) => {
      breakIt(document);
      raiseTo('3.0.0')(document);
    },
    'major',
    [],
  ],
  [
    'a minor version after a patch version that is pending',
    extend,
    'patch',
    [/require a minor version/, /a minor changeset/],
  ],
  ['a changeset if only the version was raised', raiseTo('2.0.1'), 'none', [/a patch changeset/]],
  ['nothing if only the version was raised, with a changeset', raiseTo('2.0.1'), 'patch', []],
] as const)('asks for %s', async (_, edit, pending, wanted) => {
  const folder = change(edit);
  expect(await findVersionProblems(folder, folder, pending)).toEqual(
    wanted.map((text) => expect.stringMatching(text)),
  );
});

it('asks for a changeset for a document that was never released', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'berth-version-'));
  expect(await findVersionProblems(empty, GENERATED, 'none')).toHaveLength(2);
});

const spec = (type: 'none' | 'patch' | 'minor') => ({ name: '@berth/spec', type });
const client = { name: '@berth/client', type: 'major' as const };

it.each([
  ['none without changesets', [], 'none'],
  ['none if only another package has one', [[client]], 'none'],
  ['its own, regardless of a linked package', [[spec('patch'), client]], 'patch'],
  ['the highest of several', [[spec('minor')], [spec('patch')]], 'minor'],
])('the pending bump is %s', (_, changesets, bump) => {
  expect(findPendingBump(changesets.map((releases) => ({ releases })))).toBe(bump);
});

it('names the packages that would not be released with the contract', () => {
  const find = (...releases: { name: string; type: string }[]) =>
    findReleaseProblems(releases, ['@berth/spec', '@berth/client']);
  expect(find(spec('minor'), client)).toEqual([]);
  expect(find(spec('none'), client)).toEqual([]);
  expect(find(spec('minor'), { ...client, type: 'none' })).toEqual([
    expect.stringMatching(
      /^@berth\/client is generated from the contract but would not be released/,
    ),
  ]);
});
