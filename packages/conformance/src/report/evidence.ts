import { findStatement, listSources } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { ReceivedResponse, SentRequest } from '../http/exchange.ts';
import type { Finding, Result } from '../result.ts';
import { quote, toCurl, UNPRINTABLE } from './to-curl.ts';

/** Maximum length of a value that is shown, in characters; the JSON report has more. */
const SHOWN = 500;

/** A longer command is not shown: nobody pastes it. */
const MAX_COMMAND = 2_000;

/** Rules whose calls have credentials of their own, which no report shows. */
const OWN_CREDENTIALS = /^AU-|^GW-WS-AUTH$/;

const FINDINGS_SHOWN = 3;

interface Violation {
  /** With its ID, if the rule has several. */
  sentence: string;
  /** The different messages, without those that are not shown. */
  messages: string[];
  /** The first finding, which has the call that is shown. */
  first: Finding;
}

export function toViolations({ findings, statement }: Result): Violation[] {
  const groups = Map.groupBy(findings, ({ sentence }) => sentence);
  return [...groups].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return [];
    const messages = [...new Set([first, ...others].map(({ message }) => cut(message)))];
    const shown = messages.slice(0, FINDINGS_SHOWN);
    const more = messages.length - shown.length;
    return {
      sentence: id === undefined ? statement : `${id}: ${findStatement(id as SentenceId)}`,
      messages: more > 0 ? [...shown, `… and ${more} more`] : shown,
      first,
    };
  });
}

export function formatEvidence(result: Result): string {
  const sources = result.engine === 'rules' ? listSources(result.rules) : [];
  const sections = toViolations(result).flatMap(({ sentence, messages, first }) => [
    ['contract', `${sentence}\n${sources.join('; ')}`.trimEnd()],
    ['found', `${messages.join('\n')}\n${first.where}`],
    ['request', first.request ? toMessage(first.request) : ''],
    ['response', first.response ? toMessage(first.response) : ''],
    ['repeat', toRepeat(result, first)],
  ]);
  const { scope } = result;
  const share = scope ? `${scope.violations} of ${scope.responses} responses` : '';
  return [...sections, ['scope', share]].flatMap(toLines).join('\n');
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
function toRepeat({ id }: Result, finding: Finding): string {
  const curl = OWN_CREDENTIALS.test(id) ? undefined : toCurl(finding);
  if (curl !== undefined && curl.length <= MAX_COMMAND) return curl;
  return `npx @berth/conformance --only ${quote(finding.sentence ?? id)}   # with the URLs and credentials of this run`;
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
