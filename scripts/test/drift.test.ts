import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyCheckout } from '../checkout.ts';

const TYPES = 'packages/client/src/generated/storage.v2.gen.ts';
const RULES = 'spec/generated/rules.gen.json';
const LEFT_OVER = 'spec/generated/gateway.v0.gen.json';

let folder: string;
beforeAll(() => {
  folder = copyCheckout();
});
afterAll(() => rmSync(folder, { recursive: true }));

function drift() {
  return spawnSync('node', ['scripts/drift.mjs'], { cwd: folder, encoding: 'utf8' });
}

// `npm test` checks first that the committed files pass.
it('reports and repairs each generated file that was edited, is left over or is missing', () => {
  const before = readFileSync(join(folder, TYPES), 'utf8');
  appendFileSync(join(folder, TYPES), 'export type Edited = true;\n');
  writeFileSync(join(folder, LEFT_OVER), '{}\n');
  rmSync(join(folder, RULES));

  const { status, stderr } = drift();
  expect(status).toBe(1);
  for (const file of [TYPES, LEFT_OVER, RULES]) {
    expect(stderr).toContain(`  ${file}\n`);
  }
  expect(stderr).toContain('npm run generate');
  expect(readFileSync(join(folder, TYPES), 'utf8')).toBe(before);
  expect(existsSync(join(folder, LEFT_OVER))).toBe(false);
  expect(existsSync(join(folder, RULES))).toBe(true);
});

it('marks every generated file in .gitattributes', () => {
  const files = execFileSync('git', ['ls-files', '*.gen.*'], { cwd: folder, encoding: 'utf8' });
  const names = files.trim().split('\n');
  const args = ['check-attr', 'linguist-generated', '--', ...names];
  const marks = execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim().split('\n');
  expect(names.length).toBeGreaterThan(10);
  expect(marks.filter((line) => !line.endsWith(': true'))).toEqual([]);
});

it('restores everything if a generator fails', () => {
  writeFileSync(join(folder, 'spec/rules/index.yaml'), 'version: [\n');
  const before = readFileSync(join(folder, TYPES), 'utf8');
  expect(drift().status).toBe(1);
  expect(readFileSync(join(folder, TYPES), 'utf8')).toBe(before);
});
