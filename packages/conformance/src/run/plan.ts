import { checks } from '../checks/index.ts';
import { createRun, type Run } from '../context/run.ts';
import { toPlace, transactions } from '../contract/documents.ts';
import { isDriven, transactionSkipReason } from '../dredd/run-transactions.ts';
import type { Settings } from '../options.ts';
import { workflowSkipReason as whyNoWorkflow, workflowFiles } from '../respect/workflows.ts';
import type { Engine } from '../result.ts';
import { checkSkipReason, findCost } from './run-checks.ts';

/**
 * A check in a run, with the number of calls and bytes that it sends. Both are absent if they were not
 * measured.
 */
export interface Planned {
  engine: Engine;
  id: string;
  requests?: number;
  bytes?: number;
  /** Why it would not run. */
  reason?: string;
}

/** Returns what a run with these settings will do if everything works, without making any calls. */
export function planRun(settings: Settings): Planned[] {
  const signal = new AbortController().signal;
  const run: Run = { ...createRun(settings, signal), fixture: true };
  const plan = (engine: Engine, id: string, why: { reason?: string } | undefined): Planned =>
    why?.reason === undefined
      ? { engine, id, ...findCost(id) }
      : { engine, id, requests: 0, bytes: 0, reason: why.reason };
  return [
    ...checks.map((check) => plan('rules', check.rule, checkSkipReason(run, check))),
    ...transactions
      .filter((transaction) => isDriven(transaction, settings.preferCode))
      .map((each) => plan('dredd', toPlace(each).name, transactionSkipReason(run, each))),
    ...workflowFiles.flatMap((file) =>
      Object.keys(file.workflows).map((id) => plan('respect', id, whyNoWorkflow(run, file))),
    ),
  ];
}
