import type { Outcome, Result } from '../result.ts';
import { formatEvidence, toPrintable } from './evidence.ts';
import { groupByReason, listFacts, listIds, listProblems, type Report } from './to-report.ts';

export type Paint = (
  color: 'green' | 'red' | 'magenta' | 'yellow' | 'gray' | 'bold',
  text: string,
) => string;

const COLORS = {
  pass: 'green',
  fail: 'red',
  error: 'magenta',
  skip: 'yellow',
  disabled: 'gray',
} as const satisfies Record<Outcome, string>;

const IDS_SHOWN = 3;

/** The end of a longer list of facts is only counted, so that it does not hide the failures below it. */
const ITEMS_SHOWN = 10;

export function toResultLine({ outcome, level, id, reason }: Result, paint: Paint): string {
  const should = level === 'should' ? ' (SHOULD)' : '';
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${paint(COLORS[outcome], outcome.padEnd(9))} ${toPrintable(`${id}${should}${why}`)}`;
}

/**
 * Formats the run for a terminal: what passed, what is known, what failed with its evidence, and the verdict, whose
 * first line says how much was checked. The next lines say why the rest was not.
 */
export function toText(report: Report, { quiet = false }, paint: Paint): string[] {
  const { results, seed, durationMs, calls } = report;
  const color = ({ 0: 'green', 1: 'red', 2: 'yellow' } as const)[report.exitCode];
  const verdict = paint(color, toPrintable(report.verdict));
  if (quiet) return [verdict];
  const { problems, rest } = listProblems(report);
  return [
    `${paint('green', 'pass'.padEnd(9))} ${report.summary.pass}`,
    ...listFacts(report).flatMap(([title, items]) => [
      title,
      ...items.slice(0, ITEMS_SHOWN).map((item) => `  ${toPrintable(item)}`),
      ...(items.length > ITEMS_SHOWN
        ? [`  … ${items.length - ITEMS_SHOWN} more: see --report html=FILE`]
        : []),
    ]),
    ...problems.flatMap(({ cause, others }) => ['', ...toProblem(cause, others, paint)]),
    ...(rest.length > 0
      ? ['', `These also fail, probably for the same reasons: ${listIds(rest)}`]
      : []),
    '',
    verdict,
    ...(['error', 'skip', 'disabled'] as const).flatMap((outcome) =>
      groupByReason(results, outcome).map(
        ([reason, group]) =>
          `  ${paint(COLORS[outcome], `${group.length} ${outcome}`)}: ${toPrintable(reason)}${group.length <= IDS_SHOWN ? ` (${listIds(group)})` : ''}`,
      ),
    ),
    `  seed ${seed}, ${calls} calls, ${(durationMs / 1000).toFixed(1)} s`,
  ];
}

function toProblem(cause: Result, others: readonly Result[], paint: Paint): string[] {
  const more = [
    ...cause.notes.map((note) => `note      ${toPrintable(note)}`),
    ...(others.length > 0 ? [`also      ${listIds(others)}`] : []),
  ];
  const lines = [...formatEvidence(cause).split('\n'), ...more];
  return [toResultLine(cause, paint), ...lines.map((line) => `          ${line}`.trimEnd())];
}
