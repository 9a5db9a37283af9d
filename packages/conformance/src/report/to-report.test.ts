import { expect, test } from 'vitest';
import type { Outcome, Result } from '../result.ts';
import { StartError } from '../start-error.ts';
import { toReport } from './to-report.ts';

const request = { method: 'GET', url: 'http://a', headers: {}, body: '' };
const result = (outcome: Outcome, more: Partial<Result> = {}): Result => ({
  name: 'gateway cloudrun-get 200',
  api: 'gateway',
  operationId: 'cloudrun-get',
  status: '200',
  outcome,
  findings: [],
  ...more,
});
const pass = result('pass', { request });
const required = result('skip', { required: true, request });

test.each([
  [[pass, result('skip')], 0],
  [[pass, required], 3],
  [[pass, required, result('error')], 4],
  [[pass, required, result('error'), result('fail')], 1],
])('the exit code is the first that applies (%#)', (results, exitCode) => {
  expect(toReport(results, []).exitCode).toBe(exitCode);
});

test('nothing was checked where every call was refused', () => {
  const refused = { ...required, refused: true };
  expect(() => toReport([refused, result('skip')], [])).toThrow(StartError);
  expect(toReport([refused, pass], []).exitCode).toBe(3);
});
