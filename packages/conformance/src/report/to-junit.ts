import { listUnchecked, type Result } from '../result.ts';
import { formatEvidence } from './evidence.ts';
import { groupByArea } from './overview.ts';
import { isDecisive, type Report } from './verdict.ts';

/**
 * Converts the run to JUnit XML. CI systems fail a build on every failure, so those that do not count, because the
 * rule is a SHOULD or the failure is known, are skipped, with what was found as the message.
 */
export function toJunit(report: Report): string {
  const { startedAt: timestamp, durationMs, results, verdict } = report;
  const suites = groupByArea(results).map(([name, group]) => {
    const time = group.reduce((sum, result) => sum + result.durationMs, 0) / 1000;
    const cases = group.map((result) => toCase(report, name, result));
    return toElement('testsuite', { name, ...toCounts(report, group), time, timestamp }, cases);
  });
  const name = `berth-conformance: ${verdict}`;
  const counts = { ...toCounts(report, results), time: durationMs / 1000 };
  const root = toElement('testsuites', { name, ...counts }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}

function kindOf({ known }: Report, result: Result) {
  if (result.outcome === 'pass') return 'pass';
  if (!isDecisive(result, known)) return 'skipped';
  if (result.outcome === 'fail') return 'failure';
  return result.outcome === 'error' ? 'error' : 'skipped';
}

function toCounts(report: Report, results: readonly Result[]) {
  const count = (kind: string) => results.filter((each) => kindOf(report, each) === kind).length;
  const [failures = 0, errors = 0, skipped = 0] = ['failure', 'error', 'skipped'].map(count);
  return { tests: results.length, failures, errors, skipped };
}

function toCase(report: Report, classname: string, result: Result): string {
  const { id, durationMs, outcome, level, findings, reason = '' } = result;
  const kind = kindOf(report, result);
  const message = findings[0]?.message ?? reason;
  const content: string[] = [];
  if (kind === 'failure') {
    const evidence = escapeXml(formatEvidence(result));
    content.push(toElement(kind, { message, type: level }, [evidence]));
  } else if (kind !== 'pass') {
    content.push(toElement(kind, { message: `${outcome} (${level.toUpperCase()}): ${message}` }));
  }
  const notes = [...result.notes, ...listUnchecked(result)].join('\n');
  if (notes !== '') content.push(toElement('system-out', {}, [escapeXml(notes)]));
  return toElement('testcase', { name: id, classname, time: durationMs / 1000 }, content);
}

function toElement(
  tag: string,
  attributes: Record<string, string | number>,
  content: readonly string[] = [],
): string {
  const pairs = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`,
  );
  return `<${tag}${pairs.join('')}>${content.join('')}</${tag}>\n`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot represent these
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

export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(IMPOSSIBLE, '\uFFFD')
    .replaceAll(/[&<>"'\r]/g, (character) => ESCAPES[character] ?? character);
}
