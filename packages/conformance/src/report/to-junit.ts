import type { Result } from '../result.ts';
import { formatEvidence } from './evidence.ts';
import { type Report, toGroups } from './to-report.ts';

/**
 * Converts the run to JUnit XML. CI systems fail a build on every failure, so those that do not count, because the
 * rule is a SHOULD or the failure is known, are skipped, with what was found as the message.
 */
export function toJunit(report: Report): string {
  const { startedAt, durationMs, results, verdict } = report;
  const suites = [...toGroups(results)].map(([title, group]) => {
    const time = group.reduce((sum, result) => sum + result.durationMs, 0) / 1000;
    const start = toStart('testsuite', {
      name: title,
      ...toCounts(report, group),
      time,
      timestamp: startedAt,
    });
    return `${start}\n${group.map((result) => toCase(report, title, result)).join('')}</testsuite>\n`;
  });
  const counts = { ...toCounts(report, results), time: durationMs / 1000 };
  const start = toStart('testsuites', { name: `berth-conformance: ${verdict}`, ...counts });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${start}\n${suites.join('')}</testsuites>\n`;
}

type Kind = 'pass' | 'failure' | 'error' | 'skipped';

function kindOf({ known }: Report, { outcome, level, id }: Result): Kind {
  if (outcome === 'pass') return 'pass';
  const decides = level === 'must' && !known.failures.some((failure) => failure.id === id);
  if (decides && outcome === 'fail') return 'failure';
  return decides && outcome === 'error' ? 'error' : 'skipped';
}

function toCounts(report: Report, results: readonly Result[]): Record<string, number> {
  const count = (kind: Kind) => results.filter((result) => kindOf(report, result) === kind).length;
  return {
    tests: results.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

function toCase(report: Report, classname: string, result: Result): string {
  const { id, durationMs, outcome, level, findings, reason = '', notes } = result;
  const kind = kindOf(report, result);
  const message = findings[0]?.message ?? reason;
  const lines = [toStart('testcase', { name: id, classname, time: durationMs / 1000 })];
  if (kind === 'failure') {
    const evidence = escapeXml(formatEvidence(result));
    lines.push(`${toStart(kind, { message, type: level })}${evidence}</failure>`);
  } else if (kind !== 'pass') {
    const text = `${outcome} (${level.toUpperCase()}): ${message}`;
    lines.push(`${toStart(kind, { message: text })}</${kind}>`);
  }
  if (notes.length > 0) lines.push(`<system-out>${escapeXml(notes.join('\n'))}</system-out>`);
  return [...lines, '</testcase>\n'].join('\n');
}

function toStart(tag: string, attributes: Record<string, string | number>): string {
  const pairs = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`,
  );
  return `<${tag}${pairs.join('')}>`;
}

/** XML 1.0 cannot represent most control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // A parser would turn it into a line feed.
  '\r': '&#13;',
};

/** Escapes text for XML and HTML. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(IMPOSSIBLE, '\uFFFD')
    .replaceAll(/[&<>"'\r]/g, (character) => ESCAPES[character] ?? character);
}
