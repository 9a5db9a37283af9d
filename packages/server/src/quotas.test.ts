import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Quotas } from './quotas.ts';

function setUp(calls: number, seconds: number) {
  let time = 5_000;
  const environments = { dev: { quota: { calls, seconds } } };
  const quotas = new Quotas({ environments }, undefined, () => time);
  const pass = (ms: number) => {
    time += ms;
  };
  return { quotas, pass, take: () => quotas.count('dev') };
}

/** Makes calls at the same moment, and counts those allowed. */
const countAllowed = (take: () => unknown, calls: number) =>
  Array.from({ length: calls }, take).filter((seconds) => seconds === undefined).length;

test('allows the quota in each window, and a caller that waited the returned seconds', () => {
  const steps = fc.array(
    fc.record({ passMs: fc.integer({ min: 0, max: 900 }), calls: fc.nat(30) }),
    { maxLength: 60 },
  );
  const quota = fc.record({
    calls: fc.integer({ min: 1, max: 20 }),
    seconds: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(quota, steps, ({ calls, seconds }, sequence) => {
      const { take, pass } = setUp(calls, seconds);
      let elapsed = 0;
      let allowed = 0;
      for (const step of sequence) {
        pass(step.passMs);
        elapsed += step.passMs;
        allowed += countAllowed(take, step.calls);
        // A window begins with its first call, so there is at most one more than those that are over.
        const windows = Math.floor(elapsed / (seconds * 1000)) + 1;
        expect(allowed).toBeLessThanOrEqual(windows * calls);
      }
      const retryAfter = Array.from({ length: calls + 1 }, take).find(Number.isInteger);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(seconds);
      pass(Number(retryAfter) * 1000);
      expect(countAllowed(take, calls + 1)).toBe(calls);
    }),
    { verbose: 1 },
  );
});

test('keeps the used part of a quota across an update', () => {
  const { quotas, take, pass } = setUp(10, 60);
  expect(countAllowed(take, 10)).toBe(10);
  quotas.update({ environments: { dev: { quota: { calls: 12, seconds: 1 } } } });
  expect(countAllowed(take, 10)).toBe(2);
  pass(1_000);
  expect(countAllowed(take, 20)).toBe(12);
  quotas.update({ environments: {} });
  expect(countAllowed(take, 100)).toBe(100);
});
