import type { Result } from '../result.ts';
import { toGroups } from './baseline.ts';
import { toEvidenceText, toSummaryLine } from './to-lines.ts';
import type { Report } from './to-report.ts';

/**
 * Converts the run to JUnit XML, with a suite per part of the contract and per engine. CI systems fail a
 * build on every failure. Failures that do not count, because the rule is a SHOULD or the failure is in the
 * baseline, are therefore reported as skipped, with the findings as the message.
 */
export function toJunit(report: Report): string {
  const { startedAt, durationMs, results } = report;
  const suites = toGroups(results).map(({ title, results: own }) => {
    const attributes = {
      name: title,
      ...toCounts(report, own),
      time: toTime(own),
      timestamp: startedAt,
    };
    const lines = own.map((result) => toCase(report, title, result));
    return `  <testsuite${toAttributes(attributes)}>\n${lines.join('\n')}\n  </testsuite>`;
  });
  const whole = {
    name: 'berth-conformance',
    ...toCounts(report, results),
    time: durationMs / 1000,
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${toAttributes(whole)}>`,
    `  <!-- ${escapeXml(toSummaryLine(report)).replaceAll('--', '- -')} -->`,
    ...suites,
    '</testsuites>\n',
  ].join('\n');
}

type Kind = 'pass' | 'failure' | 'error' | 'skipped';

function kindOf({ baseline }: Report, result: Result): Kind {
  const { outcome, level, id } = result;
  const decides = level === 'must' && !baseline.known.includes(id);
  if (outcome === 'fail') return decides ? 'failure' : 'skipped';
  if (outcome === 'error' && level === 'should') return 'skipped';
  if (outcome === 'skip' || outcome === 'disabled') return 'skipped';
  return outcome;
}

function toCounts(report: Report, results: readonly Result[]): Record<string, number> {
  const count = (kind: Kind) => results.filter((result) => kindOf(report, result) === kind).length;
  return {
    ...{ tests: results.length, failures: count('failure') },
    ...{ errors: count('error'), skipped: count('skipped') },
  };
}

function toTime(results: readonly Result[]): number {
  return results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
}

function toCase(report: Report, suite: string, result: Result): string {
  const { id, statement, level, durationMs, notes } = result;
  const attributes = { name: id, classname: suite, time: durationMs / 1000 };
  const lines = [
    `      <properties><property name="level" value="${level}"/><property name="statement" value="${escapeXml(statement)}"/></properties>`,
    ...toEnding(report, result),
    ...(notes.length > 0 ? [`      <system-out>${escapeXml(notes.join('\n'))}</system-out>`] : []),
  ];
  return `    <testcase${toAttributes(attributes)}>\n${lines.join('\n')}\n    </testcase>`;
}

function toEnding(report: Report, result: Result): string[] {
  const { outcome, findings, reason = '', level, statement } = result;
  const [first] = findings;
  const kind = kindOf(report, result);
  switch (kind) {
    case 'pass':
      return [];
    case 'failure': {
      const text = [statement, ...findings.map(toEvidenceText)].join('\n\n');
      const attributes = { message: first?.message ?? reason, type: level };
      return [`      <failure${toAttributes(attributes)}>${escapeXml(text)}</failure>`];
    }
    case 'skipped': {
      const why = level === 'should' ? 'an unmet SHOULD' : 'known failure';
      const message = outcome === 'fail' ? `${why}: ${first?.message}` : `${outcome}: ${reason}`;
      return [`      <skipped${toAttributes({ message })}/>`];
    }
    case 'error':
      return [`      <error${toAttributes({ message: reason, type: 'error' })}/>`];
  }
}

function toAttributes(attributes: Record<string, string | number>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');
}

/** XML 1.0 cannot represent most control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ESCAPES: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  // A parser would turn it into a line feed.
  '\r': '&#13;',
};

export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(IMPOSSIBLE, '\uFFFD')
    .replaceAll(/[&<>"'\r]/g, (character) => ESCAPES[character] ?? character);
}
