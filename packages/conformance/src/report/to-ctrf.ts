import { manifest } from '../manifest.ts';
import type { Outcome, Result } from '../results/result.ts';
import { formatEvidence, groupByArea } from './overview.ts';
import type { Report } from './verdict.ts';

const STATUSES = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
  disabled: 'pending',
  error: 'other',
} as const satisfies Record<Outcome, string>;

type Status = (typeof STATUSES)[Outcome];

/** Converts the run to the Common Test Report Format (ctrf.io), with the complete report as `extra.berth`. */
export function toCtrf(report: Report): string {
  const { startedAt, durationMs, results } = report;
  const start = Date.parse(startedAt);
  const tests = groupByArea(results).flatMap(([title, group]) =>
    group.map((result) => toTest(title, result)),
  );
  const counts = Object.values(STATUSES).map((status) => {
    return [status, tests.filter((test) => test.status === status).length];
  });
  const ctrf = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: '@berth/conformance', version: manifest.version },
      summary: {
        tests: tests.length,
        ...Object.fromEntries(counts),
        start,
        stop: start + durationMs,
      },
      tests,
    },
    extra: { berth: report },
  };
  return `${JSON.stringify(ctrf, null, 2)}\n`;
}

function toTest(suite: string, result: Result) {
  const { id, outcome, findings, level, durationMs, counts } = result;
  // As in JUnit, neither a known failure nor a failed SHOULD fails a build.
  const status: Status = outcome === 'fail' && !counts ? 'skipped' : STATUSES[outcome];
  return {
    name: id,
    status,
    duration: durationMs,
    suite: [suite],
    message: findings[0]?.message ?? result.reason,
    trace: findings.length > 0 ? formatEvidence(result) : undefined,
    tags: [level],
  };
}
