import { expect, test } from 'vitest';
import { sampleResult } from '../../test/support/sample-report.ts';
import { compare } from './compare.ts';

test('compares what newly fails, newly passes and still fails', () => {
  const since = '2026-01-01T00:00:00.000Z';
  const before = {
    startedAt: since,
    results: [result('a', 'pass'), result('b', 'fail'), result('c', 'fail')],
  };
  const now = [result('a', 'fail'), result('b', 'pass'), result('c', 'fail'), result('d', 'fail')];
  expect(compare(before, now)).toEqual({
    since,
    newlyFailing: ['a', 'd'],
    newlyPassing: ['b'],
    stillFailing: ['c'],
  });
});

function result(id: string, outcome: 'pass' | 'fail') {
  return sampleResult({ id, outcome });
}
