import { expect, onTestFinished, test, vi } from 'vitest';
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
  vi.useFakeTimers({ now: Date.parse('2027-03-31T12:00:00Z'), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(measure('Wed, 31 Mar 2027 12:00:10 GMT')).toBe(10_000);
});

test('only the call that got the 429 waits', async () => {
  const pace = new Pace(() => {});
  const notBefore = pace.slowDown('1', 0, Date.now());
  const { signal } = new AbortController();
  const ready: string[] = [];
  await Promise.all([
    pace.ready(signal, notBefore).then(() => ready.push('the call itself')),
    pace.ready(signal).then(() => ready.push('another')),
  ]);
  expect(ready).toEqual(['another', 'the call itself']);
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
