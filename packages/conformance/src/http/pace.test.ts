import timers from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
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
  new Pace((pause) => pauses.push(pause)).slowDown('http://a', retryAfter, 0);
  expect(pauses).toEqual([milliseconds]);
});

test('a target that responds with 429 is called again', async () => {
  const pace = new Pace(() => {});
  for (let call = 0; call < 22; call += 1) {
    pace.recordNoResponse('http://a');
    if (call === 10) pace.slowDown('http://a', '1', 0);
  }
  await pace.ready('http://a', new AbortController().signal);
});

test('calls start no faster than the rate', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(0);
  const wait = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const pace = new Pace(() => {}, 100);
  const { signal } = new AbortController();
  for (let call = 0; call < 4; call += 1) await pace.ready('http://a', signal);
  expect(wait.mock.calls.map(([delay]) => delay)).toEqual([10, 20, 30]);
});
