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

/** Failures come last, so that a terminal shows them, followed by the verdict, and why something was not checked. */
export function toText(report: Report, { quiet = false }, paint: Paint): string[] {
  const { results, seed, durationMs, calls } = report;
  const color = ({ 0: 'green', 1: 'red', 2: 'yellow' } as const)[report.exitCode];
  const verdict = paint(color, toPrintable(report.verdict));
  if (quiet) return [verdict];
  const { problems, rest } = listProblems(report);
  const lines = [`${paint('green', 'pass'.padEnd(9))} ${report.summary.pass}`];
  for (const [title, items] of listFacts(report)) {
    const more = items.length - ITEMS_SHOWN;
    lines.push(title, ...items.slice(0, ITEMS_SHOWN).map((item) => `  ${toPrintable(item)}`));
    if (more > 0) lines.push(`  … ${more} more: see --report html=FILE`);
  }
  for (const { cause, others } of problems) lines.push('', ...toProblem(cause, others, paint));
  if (rest.length > 0) {
    lines.push('', `These also fail, probably for the same reasons: ${listIds(rest)}`);
  }
  lines.push('', verdict);
  for (const outcome of ['error', 'skip', 'disabled'] as const) {
    for (const [reason, group] of groupByReason(results, outcome)) {
      const ids = group.length <= IDS_SHOWN ? ` (${listIds(group)})` : '';
      const count = paint(COLORS[outcome], `${group.length} ${outcome}`);
      lines.push(`  ${count}: ${toPrintable(reason)}${ids}`);
    }
  }
  lines.push(`  seed ${seed}, ${calls} calls, ${(durationMs / 1000).toFixed(1)} s`);
  return lines;
}

function toProblem(cause: Result, others: readonly Result[], paint: Paint): string[] {
  const lines = formatEvidence(cause).split('\n');
  lines.push(...cause.notes.map((note) => `note      ${toPrintable(note)}`));
  if (others.length > 0) lines.push(`also      ${listIds(others)}`);
  return [toResultLine(cause, paint), ...lines.map((line) => `          ${line}`.trimEnd())];
}
