import { expect, it } from 'vitest';
import { compare, isWithin, median, toLimit, toLimitRow } from './compare.ts';

const subject = { suite: 's', measure: 'calls/s', peerName: 'p', goal: '>= 2' } as const;

it('takes the median of the ratios, pair by pair', async () => {
  const speeds = [1, 1, 1, 2, 2, 4, 4];
  let calls = 0;
  const measure = (factor: number) => async () => factor * (speeds[Math.floor(calls++ / 2)] ?? 1);
  const row = await compare(subject, 3, measure(3), measure(1));
  expect(row).toMatchObject({ ratio: 3, runs: 3, holds: true });
});

it('detects a missed goal and a missed limit', async () => {
  const measure = async () => 3;
  const row = await compare(subject, 2, measure, async () => 2);
  expect(row).toMatchObject({ ratio: 1.5, holds: false });
  const limit = toLimit('s', 'size, B', '2,000 B');
  expect(toLimitRow(limit, 3000)).toMatchObject({ peer: 2000, ratio: 1.5, holds: false });
});

it('finds the middle of an even and of an odd count', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});

it('reads limits in both directions', () => {
  expect([isWithin(1.2, '<= 1.2'), isWithin(1.21, '<= 1.2')]).toEqual([true, false]);
  expect([isWithin(2, '>= 2'), isWithin(1.99, '>= 2')]).toEqual([true, false]);
});
