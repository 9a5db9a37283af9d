import { startStopwatch } from '@berth/runtimes/stopwatch';
import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

/** How long a first 429 with this header makes the run wait, in milliseconds. */
function measure(retryAfter: string | undefined): number {
  let told = 0;
  new Pace((pause) => {
    told = pause;
  }).slowDown(retryAfter, 0, Date.now());
  return told;
}

test.each([
  ['2', 2000],
  ['3600', 30_000],
  ['0', 500],
  ['nonsense', 500],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 500],
  [undefined, 500],
])('Retry-After: %s', (retryAfter, milliseconds) => {
  expect(measure(retryAfter)).toBe(milliseconds);
});

test('Retry-After as a date', () => {
  const soon = new Date(Date.now() + 10_000).toUTCString();
  expect(measure(soon)).toBeGreaterThan(5000);
  expect(measure(soon)).toBeLessThan(10_001);
});

test('only the call that got the 429 waits', async () => {
  const pace = new Pace(() => {});
  const notBefore = pace.slowDown('1', 0, Date.now());
  const started = performance.now();
  const time = startStopwatch();
  const { signal } = new AbortController();
  await pace.ready(signal);
  expect(time()).toBeLessThan(900);
  await pace.ready(signal, notBefore);
  expect(performance.now() - started).toBeGreaterThan(950);
});

test('all calls wait once a later call gets a 429 too', async () => {
  const pace = new Pace(() => {});
  pace.slowDown('1', 0, Date.now() - 1);
  pace.slowDown('1', 0, Date.now() + 1);
  const started = performance.now();
  const { signal } = new AbortController();
  await Promise.all([pace.ready(signal), pace.ready(signal)]);
  expect(performance.now() - started).toBeGreaterThan(950);
});

test('a call that keeps getting 429s is given up, and so are later calls until one is accepted', () => {
  const pace = new Pace(() => {});
  const refuse = (attempt: number) => pace.slowDown('1', attempt, Date.now()) !== undefined;
  const goesOn = [0, 1, 2, 3, 4, 5, 6].map(refuse);
  expect(goesOn).toEqual([true, true, true, true, true, true, false]);
  expect(refuse(0)).toBe(false);
  pace.accepted();
  expect(refuse(0)).toBe(true);
});

test('concurrent 429s are reported once', () => {
  const told: number[] = [];
  const pace = new Pace((pause) => told.push(pause));
  for (let call = 0; call < 8; call += 1) pace.slowDown('1', 0, Date.now());
  expect(told).toEqual([1000]);
});
