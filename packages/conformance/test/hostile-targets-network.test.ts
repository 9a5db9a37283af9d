import { expect, test } from 'vitest';
import { mustsOf, runSuite } from './support/run-suite.ts';
import { startFronted } from './targets/start-second.ts';

test('dropped connections are errors, not failures of the target', async () => {
  await using target = await startFronted({
    decide: (index) => (index % 3 === 0 ? 'drop' : 'pass'),
  });
  const ran = await runSuite({ ...target.options, only: ['GW-', 'UP-', 'dredd'] });
  expect(mustsOf(ran, 'fail')).toEqual([]);
  expect(ran.exitCode).toBe(4);
  const errors = mustsOf(ran, 'error');
  expect(errors.length).toBeGreaterThan(20);
  expect(errors.filter((one) => !/socket hang up|ECONNRESET/.test(one))).toEqual([]);
  expect(errors.some((one) => one.startsWith('gateway cloudrun-'))).toBe(true);
  expect(target.server.listFiles()).toEqual(ran.report?.leftovers);
});

test('after an occasional 429, calls wait and all checks pass', async () => {
  const refusal = 'HTTP/1.1 429 Slow down\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n';
  await using target = await startFronted({
    decide: (index) => (index % 50 === 0 ? (socket) => void socket.end(refusal) : 'pass'),
  });
  const only = ['GW-ERROR', 'GW-NAME', 'GW-SSE', 'GW-WS', 'AU-BEARER', 'ST-LINKS', 'UP-FORM'];
  const ran = await runSuite({ ...target.options, only });
  const others = ['fail', 'error', 'skip'].flatMap((outcome) => mustsOf(ran, outcome));
  expect(others).toEqual([]);
  expect(ran.exitCode).toBe(0);
  expect(ran.notices).toContain('the target is rate-limiting; waiting 1 s');
});

test.each([
  ['refuses connections', 'drop', 60_000],
  ['hangs', 'hang', 5000],
] as const)('a target that %s after a while', async (_, deed, timeout) => {
  await using target = await startFronted({
    decide: (index) => (index > 150 ? deed : 'pass'),
  });
  const skip = deed === 'drop' ? ['dredd', 'respect'] : [];
  const ran = await runSuite({ ...target.options, timeout, skip });
  expect(mustsOf(ran, 'fail')).toEqual([]);
  expect(ran.exitCode).toBe(4);
  expect(ran.report?.leftovers.toSorted()).toEqual(
    expect.arrayContaining(target.server.listFiles()),
  );
  expect(ran.notices.at(-1)).toMatch(/^files that the run stored may still exist: /);
  expect(mustsOf(ran, 'error').at(-1)).toMatch(/did not respond 12 times in a row|hang up|within/);
});
