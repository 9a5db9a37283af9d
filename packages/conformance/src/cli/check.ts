import { createConformance } from '../create-conformance.ts';
import { compare } from '../report/compare.ts';
import { toLines } from '../report/to-lines.ts';
import type { Report } from '../report/to-report.ts';
import { toSummaryLine } from '../report/to-summary-line.ts';
import type { Result } from '../result.ts';
import type { Given } from './options/options.ts';
import type { Output } from './output.ts';
import { parseReports } from './parse-reports.ts';
import { createProgress } from './progress.ts';
import { readEarlier } from './read-earlier.ts';
import { assertWritable, writeReports } from './report-files.ts';
import { toEndLines } from './to-end-lines.ts';
import { toOptions } from './to-options.ts';

/**
 * Checks a deployment: shows each result, writes the reports, and returns the exit code.
 *
 * @throws StartError where the run could not start
 */
export async function check(given: Given, output: Output, signal: AbortSignal): Promise<number> {
  const reports = parseReports(given.report);
  const options = await toOptions(given);
  const earlier = given.compare === undefined ? undefined : await readEarlier(given.compare);
  const progress = createProgress(output);
  const conformance = createConformance({
    ...options,
    signal,
    onResult: (result) => {
      progress.add(result);
      show(result, given, output);
    },
    onNotice: (text) => output.error(`berth-conformance: ${text}`),
  });
  await assertWritable(reports);
  if (given.insecure) {
    output.error('berth-conformance: --insecure: certificates are not checked.');
  }
  const sayEnding = () =>
    output.error(
      'berth-conformance: ending, and removing what was stored; once more ends at once.',
    );
  signal.addEventListener('abort', sayEnding, { once: true });
  progress.begin();
  const report = await conformance.run().finally(() => {
    signal.removeEventListener('abort', sayEnding);
    progress.end();
  });
  const whole: Report = earlier
    ? { ...report, comparison: compare(earlier, report.results) }
    : report;
  await writeReports(reports, whole);
  for (const line of toEndLines(whole)) output.out(line);
  const { paint = (_, text) => text } = output;
  output.out(paint(whole.exitCode === 0 ? 'green' : 'red', toSummaryLine(whole)));
  return whole.exitCode;
}

function show(result: Result, { failedOnly }: Given, output: Output): void {
  // Those are said together at the end.
  if (result.outcome === 'disabled') return;
  if (failedOnly && result.outcome === 'pass') return;
  for (const line of toLines(result, output.paint)) output.out(line);
}
