import { expect, test } from 'vitest';
import results from '../results/source-mutants.json' with { type: 'json' };
import type { SourceMutantRow } from '../src/source-mutants/check-source-mutant.ts';
import { drawSample, type SourceMutant } from '../src/source-mutants/instrument.ts';
import { SURVIVORS, toScore, toSurvivor } from '../src/source-mutants/survivors.ts';

const rows = results.rows as SourceMutantRow[];

const toMutant = (index: number): SourceMutant => ({
  key: `key-${index}`,
  id: String(index),
  file: 'server/src/a.ts',
  line: index,
  mutator: 'BooleanLiteral',
  original: 'true',
  replacement: 'false',
});

test('each mutant that the suite did not find is listed with one reason', () => {
  const survivors = rows.filter((row) => toSurvivor(row) !== undefined);
  expect(survivors.filter((row) => toSurvivor(row)?.kind === 'unclassified')).toEqual([]);
  const keys = SURVIVORS.flatMap((group) => group.keys);
  expect(new Set(keys).size).toBe(keys.length);
  const wanted = new Set(survivors.map(({ key }) => key));
  expect(keys.filter((key) => !wanted.has(key))).toEqual([]);
});

test('the suite finds at least 90 % of the mutants that break the contract', () => {
  expect(toScore(rows).score).toBeGreaterThanOrEqual(0.9);
});

test('a mutant without a reason counts as missed', () => {
  const row = { ...toMutant(1), verdict: 'survived' as const };
  expect(toScore([row, { ...row, verdict: 'found' }])).toEqual({ found: 1, missed: 1, score: 0.5 });
});

test('a change to the sources replaces only the mutants that are gone', () => {
  const all = Array.from({ length: 100 }, (_, index) => toMutant(index));
  const drawn = drawSample(all, 20, 1);
  const [gone, ...rest] = drawn;
  const again = drawSample(
    all.filter((mutant) => mutant !== gone),
    20,
    1,
  );
  expect(again).toHaveLength(20);
  expect(again).toEqual(expect.arrayContaining(rest));
  expect(drawSample(all, 20, 2)).not.toEqual(drawn);
});
