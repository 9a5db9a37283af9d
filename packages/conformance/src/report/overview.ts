/* What all reports share: problems, facts, and the evidence of failures. */
import { findRule, listSources, nameCases } from '../contract/catalog.ts';
import { TOPICS } from '../generated/rule-ids.gen.ts';
import {
  type Finding,
  listUnchecked,
  type ReceivedResponse,
  type Result,
  type SentRequest,
} from '../results/result.ts';
import { UNPRINTABLE } from './to-curl.ts';
import type { Report } from './verdict.ts';

export const MAX_IDS = 3;

/** The titles of the results that are not about rules, by their engine. */
const AREAS = { dredd: 'Documented responses (Dredd)', respect: 'Workflows (Respect)' };

export function groupByArea<Item extends Result>(
  results: readonly Item[],
): [title: string, results: Item[]][] {
  const toArea = ({ engine, id }: Result) =>
    engine === 'rules' ? findRule(id).topic : AREAS[engine];
  return [...Map.groupBy(results, toArea)];
}

/** What there is to fix: the first failure that shows a fault, and those that it explains. */
export interface Problem {
  cause: Result;
  others: Result[];
}

/** The rule about sequences of storage calls: any other storage rule that fails explains its failure. */
const SEQUENCES = 'ST-SEQUENCE';

/** Returns the failures that are not known, grouped by probable cause: first MUST rules, and those that explain most. */
export function listProblems({ results }: Report): Problem[] {
  const failed = results.filter(({ outcome, known }) => outcome === 'fail' && !known);
  const problems: Problem[] = [];
  const rank = (result: Result) => (!result.counts ? 2 : result.id === SEQUENCES ? 1 : 0);
  for (const result of failed.toSorted((a, b) => rank(a) - rank(b))) {
    const explaining = problems.filter(({ cause }) => explains(cause, result));
    for (const { others } of explaining) others.push(result);
    if (explaining.length === 0) problems.push({ cause: result, others: [] });
  }
  // SHOULD rules, which explain nothing, stay last.
  return problems.toSorted((a, b) => b.others.length - a.others.length);
}

/** A failed SHOULD explains nothing, because it fails no run. */
function explains(cause: Result, result: Result): boolean {
  if (cause.engine !== 'rules' || !cause.counts) return false;
  const { api, topic } = findRule(cause.id);
  // Whether a call is accepted says nothing about its effects.
  if (result.id === SEQUENCES) return api === 'storage' && topic !== TOPICS.AU;
  const fault = toFault(cause);
  return result.rules.includes(cause.id) || (fault !== '' && fault === toFault(result));
}

/** Returns what identifies a fault of several rules: responses that are cut, or calls that are rejected alike. */
function toFault({ findings: [first] }: Result): string {
  const { isRejection, request, response } = first ?? {};
  if (response?.isCut) return 'cut';
  if (!isRejection || request === undefined || response === undefined) return '';
  const [address] = request.url.split('?', 1);
  return `${request.method} ${address} ${response.status}`;
}

const ENDINGS = { error: 'ended with an error', skip: 'skipped', disabled: 'disabled (optional)' };

/** Returns why something was not checked: `1 rule skipped: no file could be stored (UP-KEPT)`. */
export function listReasons(results: readonly Result[]) {
  return Object.entries(ENDINGS).flatMap(([outcome, ending]) => {
    const found = results.filter((result) => result.outcome === outcome);
    const groups = [...Map.groupBy(found, ({ reason = '' }) => reason)];
    return groups.map(([reason, group]) => {
      const ids = group.length <= MAX_IDS ? ` (${listIds(group)})` : '';
      return `${nameCases(group)} ${ending}: ${cut(reason)}${ids}`;
    });
  });
}

export function listIds(results: readonly Result[]): string {
  return results.map(({ id }) => id).join(', ');
}

/** Returns everything else that an operator must know, as titled lists. */
export function listFacts(report: Report): [title: string, items: string[]][] {
  const { known, leftovers, results } = report;
  const failures = known.failures.map(({ id, reason }) => (reason ? `${id}: ${reason}` : id));
  const facts: [string, string[]][] = [
    ['Only partly checked', results.flatMap(listUnchecked)],
    ['Known failures', failures],
    ['Known failures that no longer fail', known.stale],
    ['Known failures that are no longer accepted', known.expired],
    ['Files that could not be removed', leftovers],
  ];
  return facts.filter(([, items]) => items.length > 0);
}

/** Maximum length of a value that is shown, in characters; the JSON report has more. */
const MAX_SHOWN_LENGTH = 500;

const MAX_MESSAGES = 3;

/** With more sources, only the operation and its document are named: the finding has the place in it. */
const MAX_SOURCES = 10;

/**
 * Groups findings by the sentence that they violate, or else by the statement of their transaction or workflow.
 */
export function listViolations({ id: caseId, findings, statement, sentences }: Result) {
  const groups = Map.groupBy(findings, ({ sentence }) => sentence ?? caseId);
  return [...groups].map(([id, found]) => {
    const operations = namesOf(found);
    const messages = [...Map.groupBy(found, ({ message }) => cut(message))].map(
      ([message, same]) =>
        operations.length > 1 ? `${message} (${namesOf(same).join(', ')})` : message,
    );
    const more = messages.length - MAX_MESSAGES;
    const scope = sentences.find(({ sentence }) => sentence === id)?.scope;
    return {
      id,
      sentence: id === caseId ? statement : `${id}: ${findRule(id).sentences[id]}`,
      messages: [...messages.slice(0, MAX_MESSAGES), ...(more > 0 ? [`… and ${more} more`] : [])],
      /** The finding whose call is shown. */
      first: found[0] as Finding,
      scope: scope?.violations ? `${scope.violations} of ${scope.responses} responses` : '',
    };
  });
}

/** Returns the storage operations whose responses violate something. Those of the gateway differ only in their URL. */
function namesOf(findings: readonly Finding[]): string[] {
  const names = findings.flatMap(({ request }) => OPERATION.exec(request?.url ?? '')?.[1] ?? []);
  return [...new Set(names)];
}

const OPERATION = /\/storages:(\w+)/;

type Violation = ReturnType<typeof listViolations>[number];

export function formatEvidence(result: Result): string {
  return listViolations(result)
    .map((violation) => formatViolation(result, violation))
    .join('\n');
}

export function formatViolation(result: Result, violation: Violation): string {
  const { sentence, messages, first, scope } = violation;
  const sources = result.engine === 'rules' ? listSources(result.rules) : [];
  const [operation = 'all operations'] = namesOf([first]);
  const [document] = first.where.split(/ ?#/, 1);
  const isLong = sources.length > MAX_SOURCES;
  const source = isLong ? `${operation} in ${document}` : sources.join('; ');
  const sections = [
    ['contract', `${sentence}\n${source}`.trimEnd()],
    ['found', `${messages.join('\n')}\n${first.where}`],
    ['example', cut(first.example ?? '')],
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

function cut(text: string, size = `${text.length} characters`): string {
  return text.length > MAX_SHOWN_LENGTH
    ? `${text.slice(0, MAX_SHOWN_LENGTH)} … (${size} in total)`
    : text;
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
