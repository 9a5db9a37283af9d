import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test.each([
  ['2', 2000],
  ['3600', 30_000],
  ['0', 500],
  ['nonsense', 500],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 500],
  [undefined, 500],
])('after a 429 with Retry-After: %s, the run waits %d ms', (retryAfter, milliseconds) => {
  const pauses: number[] = [];
  new Pace((pause) => pauses.push(pause)).slowDown(retryAfter, 0);
  expect(pauses).toEqual([milliseconds]);
});

test('calls start no faster than the rate', async () => {
  const pace = new Pace(() => {}, 100);
  const { signal } = new AbortController();
  const first = Date.now();
  await Promise.all(Array.from({ length: 4 }, () => pace.ready('http://a', signal)));
  expect(Date.now() - first).toBeGreaterThanOrEqual(29);
});
