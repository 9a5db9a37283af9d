import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeSboms } from '../scripts/write-sboms.ts';
import { listPublished } from '../src/list-published.ts';

const published = listPublished().map(({ manifest }) => manifest);
const toFile = (name: string) => `${name.replace('@', '').replace('/', '-')}.cdx.json`;

let folder: string;
let files: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-sboms-'));
  files = writeSboms(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('there is one for each published package, and no other', () => {
  expect(files.map((file) => basename(file)).sort()).toEqual(
    published.map(({ name }) => toFile(name)).sort(),
  );
});

describe.each(published)('that of $name', (manifest) => {
  const read = () => readFileSync(join(folder, toFile(manifest.name)), 'utf8');

  test('is valid CycloneDX', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(read())).toBeNull();
  });

  test('lists the package and its dependencies, without those of its tests', () => {
    const { metadata, components = [] } = JSON.parse(read());
    const { group, name, version } = metadata.component;
    expect([`${group}/${name}`, version]).toEqual([manifest.name, manifest.version]);
    const names: string[] = components.map(
      (one: { group?: string; name: string }) => (one.group ? `${one.group}/` : '') + one.name,
    );
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies ?? {})));
    expect(names).not.toContain('vitest');
    expect(names).not.toContain('@berth/runtimes');
  });
});
