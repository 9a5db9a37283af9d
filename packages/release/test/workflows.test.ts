import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../src/list-published.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const workflows = globSync('.github/workflows/*.yaml', { cwd: ROOT });

describe.each(workflows)('%s', (file) => {
  test('names each action by the hash of a commit, with its version next to it', () => {
    const uses = read(file).match(/^.*\buses:.*$/gm) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    const pinned = /uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test('declares its permissions and a time limit', () => {
    const text = read(file);
    expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)$/m);
    const jobs = text.match(/^ {4}runs-on:/gm) ?? [];
    expect(text.match(/^ {4}timeout-minutes: \d+$/gm)).toHaveLength(jobs.length);
  });
});

test('a release is published with provenance, after everything that CI runs', () => {
  const text = read('.github/workflows/release.yaml');
  expect(text).toMatch(/^ {6}id-token: write/m);
  expect(text).toMatch(/^ {6}PNPM_CONFIG_PROVENANCE: 'true'$/m);
  expect(text).toMatch(/^ {4}needs: test$/m);
  expect(text).toContain('run: .ci/run');
});

test('the soak runs each week', () => {
  const text = read('.github/workflows/soak.yaml');
  expect(text).toMatch(/- cron: '\d+ \d+ \* \* \d'/);
  expect(text).toContain('run: npm run soak');
});
