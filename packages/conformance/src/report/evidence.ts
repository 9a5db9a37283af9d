import { findRule, listSources } from '../contract/catalog.ts';
import type { Finding, ReceivedResponse, Result, SentRequest } from '../results/result.ts';
import { UNPRINTABLE } from './to-curl.ts';

/** Maximum length of a value that is shown, in characters; the JSON report has more. */
const SHOWN = 500;

const FINDINGS_SHOWN = 3;

/**
 * Groups findings by the sentence that they violate. A transaction or a workflow has only one sentence, its statement.
 */
export function listViolations({ id: caseId, findings, statement, sentences }: Result) {
  const groups = Map.groupBy(findings, ({ sentence }) => sentence ?? caseId);
  return [...groups].map(([id, found]) => {
    const messages = [...new Set(found.map(({ message }) => cut(message)))];
    const more = messages.length - FINDINGS_SHOWN;
    const scope = sentences.find((sentence) => sentence.id === id)?.scope;
    return {
      id,
      sentence: id === caseId ? statement : `${id}: ${findRule(id).sentences[id]}`,
      messages: [...messages.slice(0, FINDINGS_SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])],
      /** The finding whose call is shown. */
      first: found[0] as Finding,
      scope: scope?.violations ? `${scope.violations} of ${scope.responses} responses` : '',
    };
  });
}

type Violation = ReturnType<typeof listViolations>[number];

export function formatEvidence(result: Result): string {
  return listViolations(result)
    .map((violation) => formatViolation(result, violation))
    .join('\n');
}

export function formatViolation(result: Result, violation: Violation): string {
  const { sentence, messages, first, scope } = violation;
  const sources = result.engine === 'rules' ? listSources(result.rules) : [];
  const sections = [
    ['contract', `${sentence}\n${sources.join('; ')}`.trimEnd()],
    ['found', `${messages.join('\n')}\n${first.where}`],
    ['scope', scope],
    ['request', first.request ? toMessage(first.request) : ''],
    ['response', first.response ? toMessage(first.response) : ''],
    ['repeat', first.repeat ?? ''],
  ];
  return sections.flatMap(toLines).join('\n');
}

function toMessage(message: SentRequest | ReceivedResponse): string {
  const { body, bodySize } = message;
  const start = 'url' in message ? `${message.method} ${message.url}` : `${message.status}`;
  const headers = Object.entries(message.headers).flatMap(([name, value]) =>
    [value].flat().map((item) => `${name}: ${item}`),
  );
  const size = bodySize === undefined ? undefined : `${bodySize} bytes`;
  const shown = size && body === '' ? `(${size} that are not text)` : cut(body, size);
  const content = shown === '' ? [] : ['', shown];
  return [...[start, ...headers].map((line) => cut(line)), ...content].join('\n');
}

export function cut(text: string, size = `${text.length} characters`): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} … (${size} in total)` : text;
}

function toLines([label = '', text = '']: string[]): string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/).map(toPrintable);
  return lines.map((line, index) => `${(index > 0 ? '' : label).padEnd(10)}${line}`.trimEnd());
}

/** Replaces the characters that a terminal would interpret. */
export function toPrintable(line: string): string {
  return line.replaceAll(UNPRINTABLE, ' ');
}
