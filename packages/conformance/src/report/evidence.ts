import { findStatement, listSources } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { ReceivedResponse, SentRequest } from '../http/reported-call.ts';
import type { Finding, Result } from '../result.ts';
import { quote, toCurl, UNPRINTABLE } from './to-curl.ts';

/** Maximum length of a value that is shown, in characters; the JSON report has more. */
const SHOWN = 500;

/** A longer command is not shown: nobody pastes it. */
const MAX_COMMAND = 2_000;

const FINDINGS_SHOWN = 3;

interface Violation {
  /** With its ID, if the rule has several. */
  sentence: string;
  /** The different messages, without those that are not shown. */
  messages: string[];
  /** The first finding, which has the call that is shown. */
  first: Finding;
  /** `2 of 61 responses`; empty for a sentence that is not about each response. */
  share: string;
}

export function toViolations({ id: result, findings, statement, scopes }: Result): Violation[] {
  const groups = Map.groupBy(findings, ({ sentence }) => sentence);
  return [...groups].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return [];
    const messages = [...new Set([first, ...others].map(({ message }) => cut(message)))];
    const shown = messages.slice(0, FINDINGS_SHOWN);
    const more = messages.length - shown.length;
    const isOnly = id === undefined || id === result;
    const { [id ?? result]: scope } = scopes;
    return {
      sentence: isOnly ? statement : `${id}: ${findStatement(id as SentenceId)}`,
      messages: more > 0 ? [...shown, `… and ${more} more`] : shown,
      first,
      share: scope ? `${scope.violations} of ${scope.responses} responses` : '',
    };
  });
}

export function formatEvidence(result: Result): string {
  const sources = result.engine === 'rules' ? listSources(result.rules) : [];
  const sections = toViolations(result).flatMap(({ sentence, messages, first, share }) => [
    ['contract', `${sentence}\n${sources.join('; ')}`.trimEnd()],
    ['found', `${messages.join('\n')}\n${first.where}`],
    ['scope', share],
    ['request', first.request ? toMessage(first.request) : ''],
    ['response', first.response ? toMessage(first.response) : ''],
    ['repeat', toRepeat(result, first)],
  ]);
  return sections.flatMap(toLines).join('\n');
}

function toMessage(message: SentRequest | ReceivedResponse): string {
  const { body, bodyEncoding, bodySize = body.length } = message;
  const start = 'url' in message ? `${message.method} ${message.url}` : `${message.status}`;
  const headers = Object.entries(message.headers).flatMap(([name, value]) =>
    [value].flat().map((item) => `${name}: ${item}`),
  );
  const encoding = bodyEncoding === 'base64' ? '(base64) ' : '';
  const content = body === '' ? [] : ['', encoding + cut(body, bodySize)];
  return [...[start, ...headers].map((line) => cut(line)), ...content].join('\n');
}

export function cut(text: string, size = text.length): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} … (${size} in total)` : text;
}

/** The suite itself repeats a call that curl cannot send. */
function toRepeat({ engine, id }: Result, finding: Finding): string {
  const curl = toCurl(finding);
  if (curl !== undefined && curl.length <= MAX_COMMAND) return curl;
  const only = engine === 'rules' ? (finding.sentence ?? id) : id;
  return `npx @berth/conformance --only ${quote(only)}   # with the URLs and credentials of this run`;
}

function toLines([label = '', text = '']: string[]): string[] {
  const lines = text.split(/\r?\n/).map(toPrintable);
  if (text === '') return [];
  return lines.map((line, index) => `${(index > 0 ? '' : label).padEnd(10)}${line}`.trimEnd());
}

/** Replaces the characters that a terminal would interpret. */
export function toPrintable(line: string): string {
  return line.replaceAll(UNPRINTABLE, ' ');
}
