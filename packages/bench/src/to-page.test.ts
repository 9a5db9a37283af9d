import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { DatedRow } from './compare.ts';
import { suites } from './suites.ts';
import { checkedByTests, toPage } from './to-page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const figures = suites.flatMap((suite) => suite.figures);
const rows: DatedRow[] = figures.map((figure) => ({
  ...figure,
  ours: 3000,
  peer: 2000,
  runs: 5,
  ratio: 1.5,
  holds: figure.goal.startsWith('>='),
  date: '2026-11-21T08:00:00.000Z',
  machine: 'A processor, 2 cores',
  peerVersion: '1.2.3',
}));

it('has one row for each figure, with its peer, its ratio and its goal', () => {
  const page = toPage(figures, rows);
  const lines = page.split('\n').filter((line) => line.includes('| 1.50 |'));
  expect(lines).toHaveLength(figures.length);
  expect(lines).toContain(
    '| gateway | small JSON response, requests/CPU s | 3,000 | 2,000 | undici.stream 1.2.3 | 5 | 1.50 | >= 0.8 | yes |',
  );
  expect(lines).toContain(
    '| gateway | small JSON response, requests/CPU s | 3,000 | 2,000 | nginx 1.2.3 | 5 | 1.50 | – | – |',
  );
  expect(page).toContain('2026-11-21, on A processor, 2 cores: ');
});

it('shows missed goals and missing figures', () => {
  const page = toPage(
    figures,
    rows.filter(({ peerName }) => peerName !== 'nginx'),
  );
  expect(page).toMatch(/\d+ goals met, [1-9]\d* missed, \d+ without a goal, 1 not/);
  expect(page).toContain('| nginx | 0 |  | – | not measured |');
  expect(page).toContain('| <= 1 | NO |');
});

it('has a unique name for every figure', () => {
  const keys = figures.map(({ suite, measure, peerName }) => `${suite}|${measure}|${peerName}`);
  expect(new Set(keys).size).toBe(figures.length);
});

it('links existing files that the site can show', () => {
  const isFile = (file: string) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile();
  for (const { file } of checkedByTests) expect(isFile(file), file).toBe(true);
});

it('is written from the JSON of an earlier run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-page-'));
  const [json, page] = [join(folder, 'bench.json'), join(folder, 'performance.md')];
  await writeFile(json, JSON.stringify(rows));
  const args = [join(import.meta.dirname, 'cli.ts'), '--from', json, '--page', page];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(await readFile(page, 'utf8')).toBe(toPage(figures, rows));
  expect(stdout.split('\n').filter((line) => line.includes('| 1.50 |'))).toHaveLength(rows.length);
  await rm(folder, { recursive: true });
});
