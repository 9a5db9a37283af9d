import { type Answer, readHeader } from '../http-messages.ts';
import type { Result } from '../result.ts';

/** Longest body that is shown; the JSON report has it whole. */
const SHOWN = 500;

/** What the terminal shows of a result: one line, and for a failure the evidence below it. */
export function toLines(result: Result): string[] {
  const reason = result.reason === undefined ? '' : `: ${result.reason}`;
  const label = result.required ? 'SKIP' : result.outcome;
  return [
    `${label.padEnd(5)} ${result.name}${reason}`,
    ...(result.outcome === 'fail' ? toEvidence(result) : []),
  ].map(toPrintable);
}

function toEvidence({ request, answer, findings }: Result): string[] {
  return [
    ...(request
      ? section('sent', [
          `${request.method} ${request.url}`,
          ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
          cut(request.body),
        ])
      : []),
    ...(answer ? section('came', [toStatusLine(answer), cut(answer.body)]) : []),
    ...findings.flatMap(({ message, where }) => section('contract', [message, where])),
  ];
}

function toStatusLine(answer: Answer): string {
  const requestId = readHeader(answer, 'x-request-id');
  return [answer.status, readHeader(answer, 'content-type'), requestId && `request ${requestId}`]
    .filter(Boolean)
    .join(' ');
}

function section(label: string, lines: string[]): string[] {
  return lines
    .filter((line) => line !== '')
    .map((line, index) => `      ${(index === 0 ? label : '').padEnd(9)} ${line}`);
}

function cut(body: string): string {
  return body.length > SHOWN ? `${body.slice(0, SHOWN)} … (${body.length} characters)` : body;
}

/** Control characters of a hostile answer must not reach the terminal. */
function toPrintable(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return line.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
