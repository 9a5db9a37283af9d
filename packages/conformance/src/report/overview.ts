import { findRule } from '../contract/catalog.ts';
import { TOPICS } from '../generated/rule-ids.gen.ts';
import { listUnchecked, type Result } from '../results/result.ts';
import { cut } from './evidence.ts';
import type { Report } from './verdict.ts';

export const IDS_SHOWN = 3;

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

/** Returns the failures that are not known, grouped by probable cause. Failures of MUST rules come first. */
export function listProblems({ results }: Report): Problem[] {
  const failed = results.filter(({ outcome, known }) => outcome === 'fail' && !known);
  const problems: Problem[] = [];
  const rank = (result: Result) => (!result.counts ? 2 : result.id === SEQUENCES ? 1 : 0);
  for (const result of failed.toSorted((a, b) => rank(a) - rank(b))) {
    const explaining = problems.filter(({ cause }) => explains(cause, result));
    for (const { others } of explaining) others.push(result);
    if (explaining.length === 0) problems.push({ cause: result, others: [] });
  }
  return problems;
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

/** Returns why something was not checked: `1 skip: no file could be stored (UP-KEPT)`. */
export function listReasons(results: readonly Result[]) {
  return (['error', 'skip', 'disabled'] as const).flatMap((outcome) => {
    const found = results.filter((result) => result.outcome === outcome);
    const groups = [...Map.groupBy(found, ({ reason = '' }) => reason)];
    return groups.map(([reason, group]) => {
      const ids = group.length <= IDS_SHOWN ? ` (${listIds(group)})` : '';
      return `${group.length} ${outcome}: ${cut(reason)}${ids}`;
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
