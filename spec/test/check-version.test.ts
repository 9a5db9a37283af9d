import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { findVersionProblems } from '../check-version.ts';
import { SPEC } from '../generate/read.ts';

it('the documents have the versions that their changes since the last release require', async () => {
  expect(await findVersionProblems(join(SPEC, 'released'), SPEC)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: the changes reach into every corner of a document
type Document = any;

const folder = () => mkdtempSync(join(tmpdir(), 'berth-version-'));

/** Releases the storage document, then changes it. */
function change(edit: (storage: Document) => void) {
  const [released, current] = [folder(), folder()];
  const text = readFileSync(join(SPEC, 'storage.v2.yaml'), 'utf8');
  writeFileSync(join(released, 'storage.v2.yaml'), text);
  const document = parse(text);
  edit(document);
  writeFileSync(join(current, 'storage.v2.yaml'), stringify(document));
  return findVersionProblems(released, current);
}

const removeField = ({ components }: Document) => {
  const { DownloadFileItem } = components.schemas;
  delete DownloadFileItem.properties.tempFileURL;
  DownloadFileItem.required.pop();
};
const addField = ({ components }: Document) => {
  components.schemas.CopyItem.properties.note = { type: 'string' };
};
const withVersion = (edit: (storage: Document) => void, version: string) => (storage: Document) => {
  edit(storage);
  storage.info.version = version;
};

it.each([
  [
    'a removed response field',
    removeField,
    /since 2\.0\.0 require a major version\. A breaking change/,
  ],
  ['a removed response field with a minor version', withVersion(removeField, '2.1.0'), /major/],
  ['a new field', addField, /minor version\. Raise info\.version in spec\/storage\.v2\.yaml/],
])('%s is red', async (_, edit, problem) => {
  expect(await change(edit)).toEqual([expect.stringMatching(problem)]);
});

it.each([
  ['a removed response field with a major version', withVersion(removeField, '3.0.0')],
  ['a new field with a minor version', withVersion(addField, '2.1.0')],
])('%s is green', async (_, edit) => {
  expect(await change(edit)).toEqual([]);
});
