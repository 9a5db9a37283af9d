import { expect, test } from 'vitest';
import type { ConformanceOptions, Result } from '../src/index.ts';
import { idsOf, mustsOf, runSuite } from './support/run-suite.ts';
import { startFronted } from './targets/start-second.ts';

/** Options that end the run after this many results of checks that store files. */
function endAfter(count: number): Partial<ConformanceOptions> {
  const ends = new AbortController();
  let stored = 0;
  const onResult = ({ id, outcome }: Result) => {
    if (outcome === 'pass' && /^(UP|ST-DELETE|ST-COPY)-/.test(id)) stored += 1;
    if (stored === count) ends.abort();
  };
  return { signal: ends.signal, onResult };
}

test('a run that is interrupted halfway removes everything it stored', async () => {
  await using target = await startFronted();
  const only = ['UP-', 'ST-DELETE', 'ST-COPY'];
  const ran = await runSuite({ ...target.options, ...endAfter(10), only });
  expect([...mustsOf(ran, 'fail'), ...mustsOf(ran, 'error')]).toEqual([]);
  expect(ran.exitCode).toBe(3);
  expect(mustsOf(ran, 'skip').at(-1)).toContain('the run was interrupted');
  expect(target.listFiles()).toEqual([]);
  expect(ran.report?.leftovers).toEqual([]);
});

test('a run that is interrupted before it starts sends nothing', async () => {
  await using target = await startFronted();
  const ran = await runSuite({ ...target.options, signal: AbortSignal.abort() });
  expect(ran.exitCode).toBe(3);
  expect(idsOf(ran, 'pass')).toEqual([]);
  expect(target.gateway.count() + target.storage.count()).toBe(0);
});

test('once the budget is used up, the remaining checks are skipped and all files are removed', async () => {
  // Only the check of links waits longer than that.
  await using target = await startFronted();
  const ran = await runSuite({
    ...target.options,
    budget: 1,
    only: ['UP-FILE', 'ST-LINKS-EXPIRE'],
  });
  expect([...mustsOf(ran, 'fail'), ...mustsOf(ran, 'error')]).toEqual([]);
  expect(ran.exitCode).toBe(3);
  expect(mustsOf(ran, 'skip').at(-1)).toContain('the time budget of 1 s is used up');
  expect(target.listFiles()).toEqual([]);
});

test('--read-only makes no call that stores, copies or deletes', async () => {
  await using target = await startFronted();
  const only = ['GW-STATUS', 'AU-STORAGE', 'ST-', 'UP-', 'dredd'];
  const ran = await runSuite({ ...target.options, readOnly: true, only });
  expect([...mustsOf(ran, 'fail'), ...mustsOf(ran, 'error')]).toEqual([]);
  expect(ran.exitCode).toBe(0);
  expect(idsOf(ran, 'disabled')).toContain('ST-COPY-MOVE');
  expect(target.countWrites()).toBe(0);
  expect(idsOf(ran, 'pass')).toEqual(expect.arrayContaining(['GW-STATUS', 'ST-META-CALL']));
});

const REFUSAL = '{"statusCode":500,"body":{"code":"NO","message":"No."}}';
const NO_DELETE = `HTTP/1.1 500 No\r\nContent-Type: application/json\r\nContent-Length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`;

test('if a server deletes nothing, a notice lists the remaining files', async () => {
  await using target = await startFronted({
    decide: (_, head) =>
      /^POST \S+:batchDelete /.test(head) ? (socket) => void socket.end(NO_DELETE) : 'pass',
  });
  const ran = await runSuite({ ...target.options, only: ['UP-RESPONSE', 'ST-DELETE-CALL'] });
  expect(ran.exitCode).toBe(1);
  expect(idsOf(ran, 'fail')).toContain('ST-DELETE-CALL');
  expect(target.listFiles().length).toBeGreaterThan(0);
  expect(ran.report?.leftovers.toSorted()).toEqual(target.listFiles().toSorted());
  expect(ran.notices.at(-1)).toMatch(/^files that the run stored may still exist: \S+, .* more$/);
});
