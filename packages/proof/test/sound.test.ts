import { createConformance, type Report } from '@berth/conformance';
import { expect, test } from 'vitest';
import measured from '../../conformance/src/plan/costs.json' with { type: 'json' };
import { startMutated } from '../src/start-mutated.ts';

/** What is not a pass, as somebody who has to mend it wants to read it. */
function listBad({ results }: Report) {
  return results
    .filter(({ outcome }) => outcome !== 'pass')
    .map(({ id, outcome, reason, findings }) => ({
      id,
      outcome,
      reason,
      findings: findings.map(({ message }) => message),
    }));
}

// Reference server and mock as they are: `npm run conformance`, a part of `npm test`.
test('the reference server behind a proxy that changes nothing passes, and keeps no file', async () => {
  const target = await startMutated();
  try {
    const report = await createConformance({ ...target.options, seed: 1 }).run();
    expect(listBad(report)).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(report.leftovers).toEqual([]);
    expect(report.durationMs).toBeLessThan(40_000);
    expectPlanned(report);
  } finally {
    await target.close();
  }
});

/** What `--dry-run` shows of each check is what a run sends. */
function expectPlanned({ results }: Report) {
  const sent = results.reduce((sum, { requests }) => sum + requests, 0);
  const planned = Object.values(measured.costs).reduce((sum, { requests }) => sum + requests, 0);
  expect(Object.keys(measured.costs).toSorted()).toEqual(results.map(({ id }) => id).toSorted());
  // Polling takes as many calls as it takes. Red? `scripts/measure-costs.ts` measures them again.
  expect(Math.abs(planned / sent - 1)).toBeLessThan(0.1);
}
