import { countCases } from '../contract/catalog.ts';
import type { Outcome, Result } from '../results/result.ts';
import {
  formatViolation,
  listFacts,
  listIds,
  listProblems,
  listReasons,
  listViolations,
  MAX_IDS,
  type Problem,
  toPrintable,
} from './overview.ts';
import type { Report } from './verdict.ts';

const COLORS = {
  pass: 'green',
  fail: 'red',
  error: 'magenta',
  skip: 'yellow',
  disabled: 'gray',
} as const satisfies Record<Outcome, string>;

export type Paint = (color: (typeof COLORS)[Outcome], text: string) => string;

/** The end of a longer list of facts is only counted, so that it does not hide the failures above it. */
const MAX_ITEMS = 10;

export function toResultLine({ outcome, level, id, reason }: Result, paint: Paint): string {
  const should = level === 'should' ? ' (SHOULD)' : '';
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${paint(COLORS[outcome], outcome.padEnd(9))} ${toPrintable(`${id}${should}${why}`)}`;
}

/** The verdict comes last, after the failures, other facts, and what was not checked. */
export function toText(report: Report, { quiet = false }, paint: Paint): string[] {
  const { results, seed, durationMs, calls } = report;
  const color = ({ 0: 'green', 1: 'red', 2: 'yellow' } as const)[report.exitCode];
  const verdict = paint(color, toPrintable(report.verdict));
  if (quiet) return [verdict];
  const lines = listProblems(report).flatMap((problem) => [...toProblem(problem, paint), '']);
  for (const [title, items] of listFacts(report)) {
    const more = items.length - MAX_ITEMS;
    lines.push(title, ...items.slice(0, MAX_ITEMS).map((item) => `  ${toPrintable(item)}`));
    if (more > 0) lines.push(`  … ${more} more: see --report html=FILE`);
  }
  lines.push(...countPassed(results), ...listReasons(results).map(toPrintable));
  lines.push(`seed ${seed}, ${calls} calls, ${(durationMs / 1000).toFixed(1)} s`, '', verdict);
  return lines;
}

/** Returns how many cases passed: `77 of 80 rules, 9 of 9 workflows passed`. If an engine did not run, reasons follow. */
function countPassed(results: readonly Result[]): string[] {
  const started = results.filter(({ outcome }) => outcome !== 'disabled');
  const engines = new Set(started.map(({ engine }) => engine));
  const counted = results.filter(({ engine }) => engines.has(engine));
  const passed = results.filter(({ outcome }) => outcome === 'pass');
  return started.length === 0 ? [] : [`${countCases(passed, counted)} passed`];
}

/** Shows one call: the others, and those of what fails for the same reason, are in the other reports. */
function toProblem({ cause, others }: Problem, paint: Paint): string[] {
  const [first, ...more] = listViolations(cause);
  const lines = first ? formatViolation(cause, first).split('\n') : [];
  const also = more.map(({ id, messages }) => `${id}: ${messages[0]}`);
  if (others.length > 0) {
    const named = listIds(others.slice(0, MAX_IDS));
    const rest = others.length > MAX_IDS ? ', …: see --report html=FILE' : '';
    also.push(`${others.length} more, probably for the same reason: ${named}${rest}`);
  }
  lines.push(...cause.notes.map((note) => `note      ${toPrintable(note)}`));
  lines.push(...also.map((text) => `also      ${toPrintable(text)}`));
  return [toResultLine(cause, paint), ...lines.map((line) => `          ${line}`.trimEnd())];
}
