import { expect, it } from 'vitest';
import { compare, isWithin, median } from './compare.ts';

const subject = { suite: 's', measure: 'calls/s', peerName: 'p', goal: '>= 2' } as const;

it('takes the median of the ratios, pair by pair', async () => {
  const speeds = [1, 1, 1, 2, 2, 4, 4];
  let calls = 0;
  const speed = () => speeds[Math.floor(calls++ / 2)] ?? 1;
  const row = await compare(
    subject,
    3,
    async () => 3 * speed(),
    async () => speed(),
  );
  expect(row).toMatchObject({ ratio: 3, runs: 3, holds: true });
});

it('detects a missed goal', async () => {
  const row = await compare(
    subject,
    2,
    async () => 3,
    async () => 2,
  );
  expect(row).toMatchObject({ ratio: 1.5, holds: false });
});

it('finds the middle of an even and of an odd count', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});

it('reads limits in both directions', () => {
  expect([isWithin(1.2, '<= 1.2'), isWithin(1.21, '<= 1.2')]).toEqual([true, false]);
  expect([isWithin(2, '>= 2'), isWithin(1.99, '>= 2')]).toEqual([true, false]);
});
