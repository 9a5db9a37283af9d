import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { listUnchecked, type Outcome, type Result } from '../result.ts';
import type { Report } from './verdict.ts';

type Prefix = SentenceId extends `${infer Start}-${string}` ? Start : never;

const AREAS: Record<Prefix | 'dredd' | 'respect', string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage API',
  UP: 'Upload target',
  dredd: 'Documented responses (Dredd)',
  respect: 'Workflows (Respect)',
};

export function groupByArea(results: readonly Result[]): [title: string, results: Result[]][] {
  return [
    ...Map.groupBy(results, ({ engine, id }) => {
      return AREAS[engine === 'rules' ? (id.split('-', 1)[0] as Prefix) : engine];
    }),
  ];
}

export function groupByReason(results: readonly Result[], outcome: Outcome): [string, Result[]][] {
  const found = results.filter((result) => result.outcome === outcome);
  return [...Map.groupBy(found, ({ reason = '' }) => reason)];
}

/** What there is to fix: the first failure that shows a fault, and those that it explains. */
export interface Problem {
  cause: Result;
  others: Result[];
}

/** A rule that fails because of many others, so that it is worth reading only if none of those fails. */
const SUMMARY_RULE = 'ST-SEQUENCE';

/** Returns the failures that are not known, grouped by what is probably their cause. */
export function listProblems({ results, known }: Report): Problem[] {
  const failed = results.filter(
    ({ id, outcome }) => outcome === 'fail' && !known.failures.some((failure) => failure.id === id),
  );
  const problems: Problem[] = [];
  for (const result of failed.toSorted(compareIsSummary)) {
    const explaining = problems.filter(({ cause }) => explains(cause, result));
    for (const { others } of explaining) others.push(result);
    if (explaining.length === 0) problems.push({ cause: result, others: [] });
  }
  return problems;
}

const compareIsSummary = (a: Result, b: Result): number =>
  Number(a.id === SUMMARY_RULE) - Number(b.id === SUMMARY_RULE);

/** A failed SHOULD explains nothing, because it fails no run. */
function explains(cause: Result, { engine, id, rules, findings }: Result): boolean {
  if (cause.engine !== 'rules' || cause.level === 'should') return false;
  if (id === SUMMARY_RULE) return /^(ST|UP)-/.test(cause.id);
  if (engine !== 'rules' && rules.includes(cause.id)) return true;
  const error = toErrorResponse(cause);
  return error !== undefined && error === toErrorResponse({ findings });
}

/** Returns the path and the status of an error response: one that is wrong for a rule is probably wrong for others, too. */
function toErrorResponse({ findings: [first] }: Pick<Result, 'findings'>): string | undefined {
  if (first?.request === undefined || first.response === undefined) return undefined;
  const { request, response } = first;
  const [address] = request.url.split('?', 1);
  return response.status < 400 ? undefined : `${request.method} ${address} ${response.status}`;
}

export function listIds(results: readonly Result[]): string {
  return results.map(({ id }) => id).join(', ');
}

/** Returns what else an operator must know: each with a title and what it is about. */
export function listFacts({
  known,
  leftovers,
  results,
}: Report): [title: string, items: string[]][] {
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
