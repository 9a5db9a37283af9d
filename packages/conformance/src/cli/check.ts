import { randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createConformance } from '../create-conformance.ts';
import { REPORT_KINDS, type ReportKind, reporters } from '../report/reporters.ts';
import { quote } from '../report/to-curl.ts';
import { listFacts, toLines, toSummaryLine } from '../report/to-lines.ts';
import type { Report } from '../report/to-report.ts';
import { type Result, StartError } from '../result.ts';
import { type Given, OPTIONS, type OptionName, toFlag, toVariable } from './options.ts';
import type { Labels } from './parse-arguments.ts';
import type { Output } from './terminal.ts';
import { toOptions } from './to-options.ts';

/**
 * Checks a deployment: prints each result, writes the reports and returns the exit code.
 *
 * @param labels how each option was set
 * @throws StartError if the run cannot start
 */
export async function check(
  given: Given,
  labels: Labels,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const reports = parseReports(given.report);
  const conformance = createConformance({
    ...(await toOptions(given)),
    onResult: (result) => {
      // What is disabled is printed together at the end.
      if (given.json || result.outcome === 'disabled') return;
      for (const line of toLines(result, output.paint)) output.out(line);
    },
    onNotice: (text) => output.error(`berth-conformance: ${text}`),
    signal,
  });
  await assertWritable(reports);
  const sayEnding = () =>
    output.error(
      'berth-conformance: stopping and removing stored files; interrupt again to exit immediately.',
    );
  signal.addEventListener('abort', sayEnding, { once: true });
  const report = await conformance
    .run()
    .finally(() => signal.removeEventListener('abort', sayEnding));
  await writeReports(reports, report);
  if (given.json) {
    output.out(reporters.json(report).trimEnd());
    return report.exitCode;
  }
  const typed = Object.entries(given).filter(([name]) => labels[name] === toFlag(name));
  for (const line of toEndLines(report)) output.out(line);
  for (const line of toFailedLines(report, Object.fromEntries(typed))) output.out(line);
  const { paint = (_, text) => text } = output;
  output.out(paint(report.exitCode === 0 ? 'green' : 'red', toSummaryLine(report)));
  return report.exitCode;
}

/** Reasons that only repeat what the operator asked for. */
const CHOSEN: readonly string[] = ['not in --only', '--skip'];

/**
 * Returns whether the operator left a check out on purpose, rather than because something that it needs
 * is missing.
 */
function isChosen(reason: string | undefined): boolean {
  return reason !== undefined && CHOSEN.includes(reason);
}

interface WantedReport {
  kind: ReportKind;
  file: string;
}

/**
 * Parses the `--report` options, each `kind=FILE`.
 *
 * @throws StartError for an unknown kind, or if two reports go to the same file
 */
function parseReports(values: readonly string[] = []): WantedReport[] {
  const reports = values.map((value) => {
    const [, kind, file] = /^([a-z]+)=(.+)$/s.exec(value) ?? [];
    if (file === undefined || !REPORT_KINDS.includes(kind as ReportKind)) {
      const forms = REPORT_KINDS.map((known) => `${known}=FILE`).join(', ');
      throw new StartError(`--report must be one of ${forms}.`);
    }
    return { kind: kind as ReportKind, file };
  });
  const files = new Set(reports.map(({ file }) => resolve(file)));
  if (files.size === reports.length) return reports;
  throw new StartError('--report names the same file twice.');
}

/**
 * Checks before a run that its reports can be written afterwards.
 *
 * @throws StartError that names the file
 */
async function assertWritable(reports: readonly WantedReport[]): Promise<void> {
  for (const { kind, file } of reports) {
    const part = toPart(file);
    try {
      const found = await stat(file).catch(() => undefined);
      if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
      await writeFile(part, '', { flag: 'wx' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new StartError(`--report ${kind}=${file} cannot be written (${code}).`);
    } finally {
      await rm(part, { force: true }).catch(() => {});
    }
  }
}

/** Writes each report atomically, so that no reader sees a partial one. */
async function writeReports(reports: readonly WantedReport[], report: Report): Promise<void> {
  for (const { kind, file } of reports) {
    const part = toPart(file);
    try {
      await writeFile(part, reporters[kind](report), { flag: 'wx' });
      await rename(part, file);
    } finally {
      await rm(part, { force: true }).catch(() => {});
    }
  }
}

/** Returns a temporary name in the same folder, because a rename cannot cross file systems. */
function toPart(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID()}.part`);
}

/** The failed checks that are not known failures, each with the command that repeats it. */
function toFailedLines({ results, baseline, seed = 0 }: Report, typed: Given): string[] {
  const failed = results.filter(
    ({ outcome, id }) => outcome === 'fail' && !baseline.known.includes(id),
  );
  return [
    ...(failed.length > 0 ? ['failed checks, each with a command that runs it again:'] : []),
    ...failed.flatMap((result) => [`  ${result.id}`, `    ${toCommand(typed, result, seed)}`]),
  ];
}

/** Returns the lines between the last result and the failed ones. */
function toEndLines(report: Report): string[] {
  return [
    ...toDisabledLines(report.results),
    ...listFacts(report).map(([title, items]) => `${title}: ${items.join(', ')}`),
  ];
}

/** Groups results by reason; what the operator left out is only counted. */
function toDisabledLines(results: readonly Result[]): string[] {
  const disabled = results.filter(({ outcome }) => outcome === 'disabled');
  const reasons = new Set(disabled.map(({ reason = '' }) => reason));
  return [...reasons].map((reason) => {
    const own = disabled.filter((result) => (result.reason ?? '') === reason);
    const names = isChosen(reason) ? String(own.length) : own.map(({ id }) => id).join(', ');
    return `disabled (${reason}): ${names}`;
  });
}

/** Options that select checks, or say what to do with the results. */
const LEFT_OUT: readonly OptionName[] = [
  ...(['only', 'skip', 'seed', 'report', 'baseline'] as const),
];

/**
 * Returns the command that repeats a single check with the options from the command line. Credentials are
 * replaced by environment variables: `--gateway-token "$BERTH_GATEWAY_TOKEN"`.
 */
function toCommand(typed: Given, { engine, id }: Result, seed: number): string {
  // Transactions and workflows have no name of their own.
  const only = engine === 'rules' ? id : engine;
  const options = Object.entries(typed) as [OptionName, Given[OptionName]][];
  const kept = options.filter(([name]) => !LEFT_OUT.includes(name));
  return [...toStart(kept), `--only ${only} --seed ${seed}`].join(' ');
}

/** Starts the command with its options. A list of secrets is only set as a variable, which has one value per line. */
function toStart(options: [OptionName, Given[OptionName]][]): string[] {
  const isSecretList = (name: OptionName) =>
    OPTIONS[name].isSecret && OPTIONS[name].kind === 'list';
  const lists = options.filter(([name]) => isSecretList(name)).map(([name]) => toVariable(name));
  const others = options.filter(([name]) => !isSecretList(name));
  const variables = lists.map((name) => `${name}="$${name}"`);
  return [...variables, 'berth-conformance', ...others.flatMap(toWords)];
}

function toWords([name, value]: [OptionName, Given[OptionName]]): string[] {
  const flag = toFlag(name);
  if (typeof value === 'boolean') return value ? [flag] : [];
  if (OPTIONS[name].isSecret) return [`${flag} "$${toVariable(name)}"`];
  return [value ?? []].flat().map((each) => `${flag} ${quote(String(each))}`);
}
