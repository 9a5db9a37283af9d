import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listPublished, ROOT } from '../src/list-published.ts';
import { findProblems, namesItsPlace } from '../src/tarball/find-problems.ts';
import { type Packed, pack } from '../src/tarball/pack.ts';

/** Resolution as CommonJS or before `exports`: the packages are ESM only, and say so. */
const NOT_OURS = ['node10', 'node16-cjs'];

const published = listPublished();
const names = published.map(({ manifest }) => manifest.name);

test('six packages are published', () => {
  expect(names.sort()).toEqual([
    '@berth/client',
    '@berth/conformance',
    '@berth/mock',
    '@berth/server',
    '@berth/server-stubs',
    '@berth/spec',
  ]);
});

test('all of them name their repository, or none does yet', () => {
  const places = published.filter(({ manifest }) => namesItsPlace(manifest));
  expect([0, published.length]).toContain(places.length);
});

test('their versions are linked', () => {
  const settings = readFileSync(join(ROOT, '.changeset/config.json'), 'utf8');
  expect(JSON.parse(settings).linked.map((group: string[]) => group.sort())).toEqual([
    names.sort(),
  ]);
});

describe.each(published)('the tarball of $folder', ({ folder }) => {
  let destination: string;
  let packed: Packed;
  afterAll(() => rmSync(destination, { recursive: true }));
  beforeAll(() => {
    destination = mkdtempSync(join(tmpdir(), 'berth-pack-'));
    packed = pack(join(ROOT, folder), destination);
  });

  test('has a manifest that is valid outside of the repository, and the files that it should have', () => {
    expect(findProblems(packed.manifest, packed.files, names)).toEqual([]);
  });

  test('passes publint', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: packed.bytes.buffer },
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('has types wherever it has code, of the same kind', async () => {
    const { types, problems = [] } = (await checkPackage(
      createPackageFromTarballData(packed.bytes),
    )) as {
      types: unknown;
      problems?: { kind: string; entrypoint?: string; resolutionKind?: string }[];
    };
    // Documents alone have no types.
    expect(types !== false || folder === 'spec').toBe(true);
    const found = problems.filter(
      ({ resolutionKind, entrypoint }) =>
        !NOT_OURS.includes(resolutionKind ?? '') && !entrypoint?.endsWith('.json'),
    );
    expect(found).toEqual([]);
  });
});
