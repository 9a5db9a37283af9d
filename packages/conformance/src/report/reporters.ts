import { manifest } from '../manifest.ts';
import type { Outcome, Result } from '../result.ts';
import { formatEvidence } from './evidence.ts';
import { toHtml } from './to-html.ts';
import { toJunit } from './to-junit.ts';
import { type Report, toGroups } from './to-report.ts';

export const reporters = {
  html: toHtml,
  junit: toJunit,
  json: (report) => `${JSON.stringify(toCtrf(report), null, 2)}\n`,
} as const satisfies Record<string, (report: Report) => string>;

const STATUSES = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
  disabled: 'pending',
  error: 'other',
} as const satisfies Record<Outcome, string>;

/** Converts the run to the Common Test Report Format (ctrf.io), with the complete report as `extra.berth`. */
function toCtrf(report: Report): object {
  const { summary, startedAt, durationMs, results } = report;
  const start = Date.parse(startedAt);
  const counts = Object.entries(STATUSES).map(([outcome, status]) => [
    status,
    summary[outcome as Outcome],
  ]);
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: '@berth/conformance', version: manifest.version },
      summary: {
        tests: results.length,
        ...Object.fromEntries(counts),
        start,
        stop: start + durationMs,
      },
      tests: toGroups(results).flatMap(([title, group]) =>
        group.map((result) => toTest(title, result)),
      ),
    },
    extra: { berth: report },
  };
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
