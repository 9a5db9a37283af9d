import { listSources } from '../contract/rules.ts';
import { type ReceivedResponse, readHeader, type SentRequest } from '../http/exchange.ts';
import { type Finding, OUTCOMES, type Outcome, type Result } from '../result.ts';
import { isStale, withReason } from './baseline.ts';
import { toRepeat, UNPRINTABLE } from './to-curl.ts';
import type { Report } from './to-report.ts';

/** Maximum length of a body that is shown, in characters; the `--report` files contain more. */
const SHOWN = 500;

const MOST_FINDINGS = 3;

/** Colours a text with one of the formats of `util.styleText`. */
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

/**
 * Formats a result for the terminal: one line, followed by the evidence if it failed.
 *
 * @param paint Default: no colours
 */
export function toLines(result: Result, paint: Paint = (_, text) => text): string[] {
  const { outcome, level, id, reason } = result;
  // A skipped MUST leaves the run incomplete, so it is in capitals.
  const label = outcome === 'skip' && level === 'must' ? 'SKIP' : outcome;
  const should = outcome === 'fail' && level === 'should' ? ' (SHOULD)' : '';
  const why = reason === undefined ? '' : `: ${reason}`;
  const evidence = outcome === 'fail' ? toEvidence(result) : [];
  return [
    `${paint(COLORS[outcome], label.padEnd(8))} ${toPrintable(`${id}${should}${why}`)}`,
    ...evidence.map(toPrintable),
    ...result.notes.flatMap((note) => section('note', [note])).map(toPrintable),
  ];
}

function toEvidence({ statement, rules: ids, findings }: Result): string[] {
  const more = findings.length - MOST_FINDINGS;
  return [
    ...section('contract', [statement, listSources(ids).join('; ')]),
    ...findings.slice(0, MOST_FINDINGS).flatMap(toFindingLines),
    ...(more > 0 ? section('', [`… and ${more} more of this kind`]) : []),
  ];
}

function toFindingLines(finding: Finding): string[] {
  const { message, where, request, response } = finding;
  const requestId = response && readHeader(response, 'x-request-id');
  const came = response && [
    [response.status, readHeader(response, 'content-type'), requestId && `request ${requestId}`]
      .filter(Boolean)
      .join(' '),
    cut(response),
  ];
  return [
    ...section('found', [message, where]),
    ...section('sent', request ? [...toRequestLines(request), cut(request)] : []),
    ...section('came', came ?? []),
    ...section('repeat', toRepeat(finding).split('\n')),
  ];
}

function toRequestLines(request: SentRequest): string[] {
  return [`${request.method} ${request.url}`, ...toHeaderLines(request)];
}

function section(label: string, lines: string[]): string[] {
  return lines
    .filter((line) => line !== '')
    .map((line, index) => `         ${(index === 0 ? label : '').padEnd(9)}${line}`);
}

function cut({ body, bodyEncoding, bodySize }: SentRequest | ReceivedResponse): string {
  const size = bodySize === undefined ? `${body.length} characters` : `${bodySize} bytes`;
  const text = body.length > SHOWN ? `${body.slice(0, SHOWN)} … (${size})` : body;
  return bodyEncoding === 'base64' ? `(base64) ${text}` : text;
}

/** Control characters in a hostile response must not reach the terminal. */
function toPrintable(line: string): string {
  return line.replaceAll(UNPRINTABLE, ' ');
}

export function toEvidenceText(finding: Finding): string {
  const { message, where, request, response } = finding;
  return [
    message,
    where,
    ...(request ? ['', 'sent:', ...toRequestLines(request), toBodyText(request)] : []),
    ...(response
      ? ['', 'came:', String(response.status), ...toHeaderLines(response), toBodyText(response)]
      : []),
    ...(request ? ['', 'repeat:', toRepeat(finding)] : []),
  ].join('\n');
}

/** Formats a body for a report. Marks a Base64 body, and adds the total size if the body is truncated. */
export function toBodyText({
  body,
  bodyEncoding,
  bodySize,
}: SentRequest | ReceivedResponse): string {
  const encoding = bodyEncoding === 'base64' ? '(base64) ' : '';
  const cut = bodySize === undefined ? '' : `\n… (${bodySize} bytes in total)`;
  return encoding + body + cut;
}

export function toHeaderLines({ headers }: SentRequest | ReceivedResponse): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`),
  );
}

export function toVerdictPhrase(report: Report): string {
  const { summary, exitCode, baseline } = report;
  switch (exitCode) {
    case 1:
      return isStale(baseline) ? 'the baseline is stale' : 'breaks the contract';
    case 3:
      return 'incomplete: a required check was skipped';
    case 4:
      return 'incomplete: a check ended in an error';
    case 0:
      if (summary.pass === 0) return 'nothing was checked';
      if (baseline.known.length > 0) return 'follows the contract except for known failures';
      if (summary.fail > 0) return 'follows the contract, but not every SHOULD';
      return summary.disabled > 0
        ? 'follows the contract, as far as it was checked'
        : 'follows the contract';
  }
}

/** Returns the last line of a run: counts, verdict, declared deviations, seed and duration. */
export function toSummaryLine(report: Report): string {
  const { summary, declared, seed, durationMs } = report;
  const counts = OUTCOMES.map((outcome) => `${summary[outcome]} ${outcome}`);
  return [
    `${counts.join(', ')}: ${toVerdictPhrase(report)}`,
    ...(declared.length > 0 ? [`declared: ${declared.join(', ')}`] : []),
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    `${(durationMs / 1000).toFixed(1)} s`,
  ].join(' · ');
}

/** Returns the results that need attention, apart from failures: each with a title and what it is about. */
export function listFacts({ leftovers, baseline }: Report): [string, string[]][] {
  const named = (ids: readonly string[]) => ids.map((id) => withReason(id, baseline));
  const facts: [string, string[]][] = [
    ['files that could not be removed', leftovers],
    ['known failures', named(baseline.known)],
    ['stale baseline entries (no longer failing, or not a check ID)', baseline.stale],
    ['expired baseline entries', named(baseline.expired)],
  ];
  return facts.filter(([, items]) => items.length > 0);
}
