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

/** Converts the run to the Common Test Report Format (ctrf.io), with the complete report as `extra.berth`. */
export function toCtrf(report: Report): string {
  const { summary, startedAt, durationMs, results } = report;
  const start = Date.parse(startedAt);
  const ctrf = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: '@berth/conformance', version: manifest.version },
      summary: {
        tests: results.length,
        passed: summary.pass,
        failed: summary.fail,
        skipped: summary.skip,
        pending: summary.disabled,
        other: summary.error,
        start,
        stop: start + durationMs,
      },
      tests: groupByArea(results).flatMap(([title, group]) =>
        group.map((result) => toTest(title, result)),
      ),
    },
    extra: { berth: report },
  };
  return `${JSON.stringify(ctrf, null, 2)}\n`;
}

function toTest(suite: string, result: Result): object {
  const { id, outcome, findings, level, durationMs } = result;
  return {
    name: id,
    status: STATUSES[outcome],
    duration: durationMs,
    suite: [suite],
    message: findings[0]?.message ?? result.reason,
    trace: findings.length > 0 ? formatEvidence(result) : undefined,
    tags: [level],
  };
}
