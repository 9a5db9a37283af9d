import { listUnchecked, type Result } from '../result.ts';
import { formatEvidence } from './evidence.ts';
import { type Markup, markup } from './markup.ts';
import { groupByArea } from './overview.ts';
import { isDecisive, type Report } from './verdict.ts';

/**
 * Converts the run to JUnit XML. CI systems fail a build on every failure, so those that do not count, because the
 * rule is a SHOULD or the failure is known, are skipped, with what was found as the message.
 */
export function toJunit(report: Report): string {
  const { startedAt, durationMs, results, verdict } = report;
  const suites = groupByArea(results).map(([name, group]) => {
    const time = group.reduce((sum, result) => sum + result.durationMs, 0) / 1000;
    const cases = group.map((result) => toCase(report, name, result));
    return markup`<testsuite name="${name}" ${toCounts(report, group)} time="${time}" timestamp="${startedAt}">${cases}</testsuite>
`;
  });
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="berth-conformance: ${verdict}" ${toCounts(report, results)} time="${durationMs / 1000}">${suites}</testsuites>
`.markup;
}

function kindOf({ known }: Report, result: Result) {
  if (result.outcome === 'pass') return 'pass';
  if (!isDecisive(result, known)) return 'skipped';
  if (result.outcome === 'fail') return 'failure';
  return result.outcome === 'error' ? 'error' : 'skipped';
}

function toCounts(report: Report, results: readonly Result[]): Markup {
  const count = (kind: string) => results.filter((each) => kindOf(report, each) === kind).length;
  return markup`tests="${results.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function toCase(report: Report, area: string, result: Result): Markup {
  const { id, durationMs, outcome, level, findings, reason = '' } = result;
  const kind = kindOf(report, result);
  // An attribute has no lines.
  const message = (findings[0]?.message ?? reason).replaceAll('\n', ' ');
  const notes = [...result.notes, ...listUnchecked(result)].join('\n');
  const explanation = `${outcome} (${level.toUpperCase()}): ${message}`;
  const elements = {
    pass: undefined,
    failure: markup`<failure message="${message}" type="${level}">${formatEvidence(result)}</failure>`,
    error: markup`<error message="${explanation}"/>`,
    skipped: markup`<skipped message="${explanation}"/>`,
  };
  const output = notes === '' ? undefined : markup`<system-out>${notes}</system-out>`;
  return markup`<testcase name="${id}" classname="${area}" time="${durationMs / 1000}">${elements[kind]}${output}</testcase>
`;
}
