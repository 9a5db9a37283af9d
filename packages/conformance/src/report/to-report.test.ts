import { expect, test } from 'vitest';
import { sampleResult } from '../../test/support/sample-report.ts';
import type { Level } from '../contract/rules.ts';
import type { Outcome, Result } from '../result.ts';
import * as report from './to-report.ts';

const results = (...outcomes: Outcome[]) =>
  outcomes.map((outcome, index) => sampleResult({ id: `GW-${index}`, outcome }));

const NOW = new Date('2027-03-31T23:59:59Z');
const toVerdict = (all: Result[], ids: string[]) =>
  report.toVerdict(
    all,
    ids.map((id) => ({ id })),
    NOW,
  );

test.each<[Outcome[], number]>([
  [['pass'], 0],
  [['pass', 'disabled'], 0],
  [['pass', 'skip'], 3],
  [['pass', 'skip', 'error'], 4],
  [['pass', 'skip', 'error', 'fail'], 1],
])('the exit code is the first that applies: %j', (outcomes, exitCode) => {
  expect(toVerdict(results(...outcomes), []).exitCode).toBe(exitCode);
});

test('a failed SHOULD does not affect the verdict', () => {
  const level: Level = 'should';
  const should = results('fail', 'error', 'skip').map((result) => ({ ...result, level }));
  const { exitCode, summary } = toVerdict(should, []);
  expect(exitCode).toBe(0);
  expect(summary).toMatchObject({ fail: 1, error: 1, skip: 1, incomplete: 0 });
});

test.each([
  ['that fails', 'GW-0', 0, { known: ['GW-0'], stale: [] }],
  ['that passes', 'GW-1', 1, { known: [], stale: ['GW-1'] }],
  ['that was not checked', 'GW-2', 1, { known: [], stale: [] }],
  ['that no result has', 'upload-nothing', 1, { known: [], stale: ['upload-nothing'] }],
])('a known failure %s', (_, entry, exitCode, baseline) => {
  const verdict = toVerdict(results('fail', 'pass', 'disabled'), [entry]);
  expect(verdict).toMatchObject({ exitCode, baseline });
});

test('a known rule covers the workflow that fails with it', () => {
  const workflow = sampleResult({
    ...{ engine: 'respect', id: 'copy-file', rules: ['GW-0', 'GW-9'], outcome: 'fail' },
  });
  expect(toVerdict([...results('fail'), workflow], ['GW-0']).exitCode).toBe(0);
});

test.each([
  ['2027-03-31', [], 0],
  ['2027-03-30', ['GW-0'], 1],
])('a known failure that is accepted until %s', (expires, expired, exitCode) => {
  const entries = [{ id: 'GW-0', expires, reason: 'ticket 7' }];
  const verdict = report.toVerdict(results('fail', 'pass'), entries, NOW);
  expect(verdict).toMatchObject({ exitCode, baseline: { expired, stale: [] } });
});
