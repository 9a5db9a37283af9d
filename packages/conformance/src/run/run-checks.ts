import { checks } from '../checks/index.ts';
import { type Check, CheckContext } from '../context/check-context.ts';
import { createRun, inParallel, type Run } from '../context/run.ts';
import {
  lacking,
  notSelected,
  noUrl,
  refused,
  type SkipReason,
  toEnding,
} from '../context/skip-reason.ts';
import { toPlace, transactions } from '../contract/operations.ts';
import { findRule } from '../contract/rules.ts';
import { isDriven, transactionSkipReason } from '../dredd/run-transactions.ts';
import type { Settings } from '../options.ts';
import { workflowSkipReason, workflows } from '../respect/run-workflows.ts';
import type { Engine, Planned, Result } from '../result.ts';
import measured from './costs.json' with { type: 'json' };

interface Cost {
  requests: number;
  /** Heads and bodies, as HTTP/1.1 writes them. */
  bytes: number;
}

const costs: Readonly<Record<string, Cost>> = measured.costs;

/**
 * Returns how much the check with this ID sent to the reference server, or `undefined` if that was not
 * measured.
 */
function findCost(id: string): Cost | undefined {
  return costs[id];
}

/**
 * Number of parallel checks if `concurrency` is not set. A higher number hides the latency of a distant
 * target; a near one would only queue the calls, until they time out.
 */
const USUAL = { near: 8, far: 32 };

/** Latency of a distant target, in milliseconds. */
const FAR = 100;

/**
 * Runs checks in parallel and yields each result as soon as it is known. The checks that wait and those
 * with the most calls start first: a long check that starts last would run alone.
 */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<void> {
  const cost = ({ rule, waits }: Check) =>
    waits ? Number.MAX_SAFE_INTEGER : (findCost(rule)?.requests ?? 0);
  const ordered = checks.toSorted((a, b) => cost(b) - cost(a));
  const usual = run.health.latency() < FAR ? USUAL.near : USUAL.far;
  await inParallel(ordered, run.settings.concurrency ?? usual, async (check) =>
    onResult(await runCheck(run, check)),
  );
}

/** Runs the check of one rule; whatever happens becomes its result. */
async function runCheck(run: Run, check: Check): Promise<Result> {
  const rule = findRule(check.rule);
  const where = rule.places[0] ?? rule.id;
  const context = new CheckContext(run, rule.id, where);
  const started = performance.now();
  const ending = checkSkipReason(run, check) ?? (await end(check, context, run));
  const { findings } = context.record;
  const scope = context.scope.describe();
  // A violation that was found counts even if the check did not finish.
  const outcome = findings.length > 0 ? ('fail' as const) : ending.outcome;
  return {
    engine: 'rules',
    id: rule.id,
    level: rule.level,
    statement: rule.statement,
    rules: [rule.id],
    operations: [...rule.operations],
    outcome,
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    ...context.record,
    ...(outcome === 'fail' && scope !== undefined ? { scope } : {}),
    durationMs: Math.round(performance.now() - started),
  };
}

export function checkSkipReason(run: Run, { rule, needs }: Check): SkipReason | undefined {
  const api = rule.startsWith('GW-') || /^AU-(?!STORAGE)/.test(rule) ? 'gateway' : 'storage';
  return notSelected(run, rule) ?? noUrl(run, api) ?? lacking(run, needs) ?? refused(run, api);
}

async function end(
  check: Check,
  context: CheckContext,
  run: Run,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  try {
    await check.run(context);
  } catch (error) {
    return toEnding(error, run);
  }
  const { requests, assertions } = context.record;
  if ((requests > 0 || context.hasShared) && assertions > 0) return { outcome: 'pass' };
  // Some checks continue without a response that they could not get.
  if (run.signal.aborted) return { outcome: 'skip', reason: String(run.signal.reason) };
  return { outcome: 'error', reason: 'bug in the suite: the check made no assertions' };
}

/** Returns what a run with these settings will do if everything works, without making any calls. */
export function planRun(settings: Settings): Planned[] {
  const signal = new AbortController().signal;
  const run: Run = { ...createRun(settings, signal), fixture: true };
  const plan = (engine: Engine, id: string, why: { reason?: string } | undefined): Planned =>
    why?.reason === undefined
      ? { engine, id, ...findCost(id) }
      : { engine, id, requests: 0, bytes: 0, reason: why.reason };
  const planned = checks.map((check) => plan('rules', check.rule, checkSkipReason(run, check)));
  return [
    ...withShared(planned),
    ...transactions
      .filter((transaction) => isDriven(transaction, settings.preferCode))
      .map((each) => plan('dredd', toPlace(each).name, transactionSkipReason(run, each))),
    ...workflows.map((each) => plan('respect', each.id, workflowSkipReason(run, each))),
  ];
}

/** Counts the calls that checks share once: for the check that has all of them, or else for the first. */
function withShared(planned: readonly Planned[]): Planned[] {
  const counted = new Set(planned.flatMap(({ id, reason }) => (reason === undefined ? [id] : [])));
  return planned.map((each) => {
    const { shares = [] } = checks.find(({ rule }) => rule === each.id) ?? {};
    if (shares.length === 0 || each.reason !== undefined) return each;
    const [known, missing] = [true, false].map((isKnown) =>
      shares.filter((owner) => counted.has(owner) === isKnown),
    ) as [string[], string[]];
    for (const owner of missing) counted.add(owner);
    const costs = missing.map(findCost);
    const add = (what: 'requests' | 'bytes') =>
      costs.reduce((total, cost) => total + (cost?.[what] ?? 0), each[what] ?? 0);
    const isMeasured = each.requests !== undefined;
    return {
      ...each,
      ...(isMeasured && { requests: add('requests'), bytes: add('bytes') }),
      ...(known.length > 0 && { shares: known }),
    };
  });
}
