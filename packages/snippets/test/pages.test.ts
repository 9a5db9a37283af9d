import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipReason } from '../../../scripts/testing/engines.ts';
import { findPages, type Outcome, ROOT, readPage, usesCurl } from '../src/page.ts';
import { checkPage } from '../src/run/check-page.ts';
import { Desk } from '../src/run/desk.ts';
import { makeBench } from '../src/run/make-bench.ts';
import { toTable } from '../src/to-table.ts';
import { checkTypes } from '../src/types/check-types.ts';

const needsCurl = skipReason('curl');
const pages = findPages().map((page) => {
  const blocks = readPage(page, readFileSync(join(ROOT, page), 'utf8'));
  const skipped = needsCurl && blocks.some(usesCurl) ? ` (skipped: ${needsCurl})` : '';
  return { page, blocks, skipped };
});
const outcomes: Outcome[] = [];
let folder: string;
let commands: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-pages-'));
  ({ commands } = await makeBench(folder));
});
afterAll(async () => {
  process.stdout.write(`\n${toTable(outcomes)}`);
  await rm(folder, { recursive: true, force: true });
});

test('every script of the pages compiles', async () => {
  const types = join(folder, 'types');
  await mkdir(types);
  const faults = await checkTypes(
    types,
    pages.map(({ blocks }) => blocks),
  );
  expect(faults).toEqual([]);
});

test.concurrent.for(pages)(
  'every block of $page does what it says$skipped',
  async ({ page, blocks, skipped }, t) => {
    t.skip(skipped !== '');
    const desk = new Desk(join(folder, 'pages', page), commands);
    t.onTestFinished(() => desk.close());
    const checked = await checkPage(desk, blocks);
    outcomes.push(...checked.outcomes);
    t.expect(checked.faults.join('\n\n')).toBe('');
    t.expect(checked.outcomes).toHaveLength(blocks.length);
  },
);
