import { type Check, CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import {
  lacking,
  leftOut,
  noUrl,
  refused,
  type SkipReason,
  toEnding,
} from '../context/skip-reason.ts';
import { findRule } from '../contract/rules.ts';
import type { Result } from '../result.ts';

/**
 * Number of parallel checks if `concurrency` is not set. A higher number hides the latency of a distant
 * target; a near one would only queue the calls, until they time out.
 */
const USUAL = { near: 8, far: 32 };

/** Latency of a distant target, in milliseconds. */
const FAR = 100;

/**
 * Runs checks in parallel and yields each result as soon as it is known. The checks that wait start first: a
 * long check that starts last would run alone.
 */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<void> {
  const ordered = checks.toSorted((a, b) => Number(b.waits ?? false) - Number(a.waits ?? false));
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
    durationMs: Math.round(performance.now() - started),
  };
}

function checkSkipReason(run: Run, { rule, needs }: Check): SkipReason | undefined {
  const api = rule.startsWith('GW-') || /^AU-(?!STORAGE)/.test(rule) ? 'gateway' : 'storage';
  return leftOut(run, rule) ?? noUrl(run, api) ?? lacking(run, needs) ?? refused(run, api);
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
