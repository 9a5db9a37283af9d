import { listUnchecked, type Result } from '../results/result.ts';
import { type Markup, markup } from './markup.ts';
import { formatEvidence, groupByArea } from './overview.ts';
import type { Report } from './verdict.ts';

type Kind = 'pass' | 'failure' | 'error' | 'skipped';

const VERDICTS = ['pass', 'failure', 'error'] as const;

/**
 * Converts the run to JUnit XML. CI systems fail a build on every failure, so those that do not count, because the
 * rule is a SHOULD or the failure is known, are skipped, with what was found as the message. The verdict is a test case
 * of its own, so that a build fails if and only if the run does.
 */
export function toJunit(report: Report): string {
  const { startedAt, durationMs, results, verdict, exitCode, known } = report;
  const verdictKind = VERDICTS[exitCode];
  const message = [verdict, ...known.stale, ...known.expired].join('; ');
  const suites = groupByArea(results).map(([name, group]) => {
    const time = group.reduce((sum, result) => sum + result.durationMs, 0) / 1000;
    const cases = group.map((result) => toCase(name, result));
    const kinds = group.map(kindOf);
    return markup`<testsuite name="${name}" ${toCounts(kinds)} time="${time}" timestamp="${startedAt}">${cases}</testsuite>
`;
  });
  const kinds = [...results.map(kindOf), verdictKind];
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="berth-conformance: ${verdict}" ${toCounts(kinds)} time="${durationMs / 1000}">${suites}<testsuite name="Verdict" ${toCounts([verdictKind])} timestamp="${startedAt}"><testcase name="verdict" classname="Verdict">${toElement(verdictKind, message)}</testcase></testsuite>
</testsuites>
`.markup;
}

function kindOf({ outcome, counts }: Result): Kind {
  if (outcome === 'pass') return 'pass';
  if (!counts) return 'skipped';
  if (outcome === 'fail') return 'failure';
  return outcome === 'error' ? 'error' : 'skipped';
}

function toCounts(kinds: readonly Kind[]): Markup {
  const count = (kind: Kind) => kinds.filter((each) => each === kind).length;
  return markup`tests="${kinds.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function toCase(area: string, result: Result): Markup {
  const { id, durationMs, outcome, level, known, findings, reason = '' } = result;
  const kind = kindOf(result);
  const isKnown = known && `, known${known.reason ? `: ${known.reason}` : ''}`;
  // An attribute has no lines.
  const message = (findings[0]?.message ?? reason).replaceAll('\n', ' ');
  const isExcused = outcome === 'fail' && kind !== 'failure';
  const evidence = isExcused ? formatEvidence(result) : [];
  const notes = [result.notes, listUnchecked(result), evidence].flat().join('\n');
  const element =
    kind === 'failure'
      ? markup`<failure message="${message}" type="${level}">${formatEvidence(result)}</failure>`
      : toElement(kind, `${outcome} (${level.toUpperCase()}${isKnown ?? ''}): ${message}`);
  const output = notes === '' ? undefined : markup`<system-out>${notes}</system-out>`;
  return markup`<testcase name="${id}" classname="${area}" time="${durationMs / 1000}">${element}${output}</testcase>
`;
}

function toElement(kind: Kind, message: string): Markup | undefined {
  return kind === 'pass' ? undefined : markup`<${{ markup: kind }} message="${message}"/>`;
}
