import { expect, test } from 'vitest';
import { CallTally } from './call-tally.ts';

test('calls that are alike are one sample, and buckets hold all that is below them', () => {
  const tally = new CallTally();
  const call = { surface: 'gateway', operation: 'x', code: '', received: 10, sent: 20 } as const;
  tally.add({ ...call, status: 200, seconds: 0.0005 });
  tally.add({ ...call, status: 204, seconds: 0.002 });
  tally.add({ ...call, status: 0, seconds: 100 });
  const [calls, durations, bytes] = tally.samples();
  expect(calls?.values.map(({ labels, value }) => [labels.status, value])).toEqual([
    ['2xx', 2],
    ['gone', 1],
  ]);
  expect(bytes?.values.map(({ labels, value }) => [labels.direction, value])).toEqual([
    ['received', 30],
    ['sent', 60],
  ]);
  const byBound = Object.fromEntries(
    durations?.values.map(({ labels, metricName, value }) => [labels.le ?? metricName, value]) ??
      [],
  );
  expect(byBound).toMatchObject({
    '0.0005': 1,
    '0.001': 1,
    '0.0025': 2,
    '60': 2,
    '+Inf': 3,
    berth_call_duration_seconds_count: 3,
  });
});
