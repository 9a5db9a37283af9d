import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createQuotas } from './quotas.ts';

function setUp(quota: { calls: number; seconds: number }) {
  let time = 5_000;
  const quotas = createQuotas({ dev: { quota } }, () => time);
  const wait = (ms: number) => {
    time += ms;
  };
  return { quotas, wait, take: () => quotas.take('dev') };
}

/** Makes `calls` calls at the same moment, and counts those allowed. */
const countAllowed = (take: () => number | undefined, calls: number) =>
  Array.from({ length: calls }, take).filter((seconds) => seconds === undefined).length;

const quotaArbitrary = fc.record({
  calls: fc.integer({ min: 1, max: 50 }),
  seconds: fc.integer({ min: 1, max: 100 }),
});

const steps = fc.array(
  fc.record({ waitMs: fc.double({ min: 0, max: 500, noNaN: true }), calls: fc.nat(100) }),
  { maxLength: 60 },
);

test('never allows more than burst + rate × time', () => {
  fc.assert(
    fc.property(quotaArbitrary, steps, (quota, sequence) => {
      const { take, wait } = setUp(quota);
      let elapsed = 0;
      let allowed = 0;
      for (const { waitMs, calls } of sequence) {
        wait(waitMs);
        elapsed += waitMs;
        allowed += countAllowed(take, calls);
        const most = quota.calls + (quota.calls / quota.seconds) * (elapsed / 1_000);
        expect(allowed).toBeLessThanOrEqual(most + 1e-2);
      }
    }),
    { verbose: 1 },
  );
});

test('allows a caller that waited the given seconds, and none that came a second earlier', () => {
  fc.assert(
    fc.property(quotaArbitrary, steps, (quota, sequence) => {
      const { take, wait } = setUp(quota);
      for (const { waitMs, calls } of sequence) {
        wait(waitMs);
        countAllowed(take, calls);
      }
      const told = Array.from({ length: 51 }, take).find((seconds) => seconds !== undefined);
      expect(Number.isInteger(told) && Number(told) >= 1).toBe(true);
      wait((Number(told) - 1) * 1_000);
      if (Number(told) > 1) expect(take()).toBe(1);
      wait(1_000);
      expect(take()).toBeUndefined();
    }),
    { verbose: 1 },
  );
});

test('keeps the used part of a quota across an update', () => {
  const { quotas, take, wait } = setUp({ calls: 10, seconds: 10 });
  expect(countAllowed(take, 10)).toBe(10);
  quotas.update({ dev: { quota: { calls: 10, seconds: 5 } } });
  expect(countAllowed(take, 10)).toBe(0);
  wait(1_000);
  expect(countAllowed(take, 10)).toBe(2);
  quotas.update({});
  expect(countAllowed(take, 100)).toBe(100);
});
