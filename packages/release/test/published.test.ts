import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** Resolution as CommonJS or before `exports`: the packages are ESM only, and say so. */
const NOT_OURS = ['node10', 'node16-cjs'];

const published = ['spec', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)]
  .map((folder) => join(folder, 'package.json'))
  .filter((file) => existsSync(join(ROOT, file)))
  .filter((file) => !JSON.parse(readFileSync(join(ROOT, file), 'utf8')).private)
  .map(dirname);

describe.each(published)('the tarball of %s', (folder) => {
  let place: string;
  let tarball: Buffer;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'berth-pack-'));
    execFileSync('pnpm', ['pack', '--pack-destination', place], { cwd: join(ROOT, folder) });
    const [name = ''] = readdirSync(place);
    tarball = readFileSync(join(place, name));
  });
  afterAll(() => rmSync(place, { recursive: true }));

  it('has nothing that publint minds', async () => {
    const bytes = new Uint8Array(tarball).buffer;
    const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types wherever it has code, of the same kind', async () => {
    const checked = createPackageFromTarballData(new Uint8Array(tarball));
    const { types, problems = [] } = (await checkPackage(checked)) as {
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
