import { checks } from '../checks/index.ts';
import { createRun, type Run } from '../context/run.ts';
import { toPlace, transactions } from '../contract/documents.ts';
import { isDriven, transactionSkipReason } from '../dredd/run-transactions.ts';
import type { Settings } from '../options.ts';
import { workflowSkipReason, workflows } from '../respect/workflows.ts';
import type { Engine, Planned } from '../result.ts';
import { checkSkipReason, findCost } from './run-checks.ts';

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
