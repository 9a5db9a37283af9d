import { manifest } from '../manifest.ts';
import type { Outcome, Result } from '../result.ts';
import { toGroups } from './baseline.ts';
import { toHtml } from './to-html.ts';
import { toJunit } from './to-junit.ts';
import { toEvidenceText, toVerdictPhrase } from './to-lines.ts';
import type { Report } from './to-report.ts';

export const REPORT_KINDS = ['json', 'junit', 'html'] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

/** The formats for `--report kind=FILE`. */
export const reporters: Record<ReportKind, (report: Report) => string> = {
  json: (report) => `${JSON.stringify(toCtrf(report), null, 2)}\n`,
  junit: toJunit,
  html: toHtml,
};

/** Version of the Common Test Report Format (ctrf.io). */
const SPEC_VERSION = '0.0.0';

const STATUSES = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
  disabled: 'pending',
  error: 'other',
} as const satisfies Record<Outcome, string>;

/** Converts the run to the Common Test Report Format (ctrf.io), with the complete report as `extra.berth`. */
function toCtrf(report: Report): object {
  const { summary, startedAt, durationMs, results, targets } = report;
  const start = Date.parse(startedAt);
  const suites = toGroups(results);
  return {
    reportFormat: 'CTRF',
    specVersion: SPEC_VERSION,
    timestamp: new Date(start + durationMs).toISOString(),
    generatedBy: `@berth/conformance ${manifest.version}`,
    results: {
      tool: { name: '@berth/conformance', version: manifest.version },
      summary: {
        ...{ tests: results.length, passed: summary.pass, failed: summary.fail },
        ...{ skipped: summary.skip, pending: summary.disabled, other: summary.error },
        ...{ suites: suites.length, start, stop: start + durationMs, duration: durationMs },
      },
      tests: suites.flatMap(({ title, results: own }) =>
        own.map((result) => toTest(title, result)),
      ),
      environment: {
        appName: targets.map(({ url }) => url).join(' '),
        healthy: report.exitCode === 0,
      },
    },
    extra: { berth: { verdict: toVerdictPhrase(report), ...report } },
  };
}

function toTest(suite: string, result: Result): object {
  const { id, outcome, reason, findings, level, statement, durationMs } = result;
  const { rules, operations, requests, assertions } = result;
  const message = findings[0]?.message ?? reason;
  return {
    name: id,
    status: STATUSES[outcome],
    rawStatus: outcome,
    duration: durationMs,
    suite: [suite],
    ...(message === undefined ? {} : { message }),
    ...(findings.length > 0 ? { trace: findings.map(toEvidenceText).join('\n\n') } : {}),
    tags: [level],
    type: 'conformance',
    extra: { statement, rules, operations, requests, assertions },
  };
}
