import { checks } from './checks/index.ts';
import { transactions, workflows } from './contract/catalog.ts';
import { documents } from './contract/openapi.ts';
import { runDredd } from './engines/dredd.ts';
import { runWorkflows } from './engines/respect.ts';
import { type ConformanceOptions, type Settings, toSettings } from './options.ts';
import { createReport, type Report, toResult } from './report/verdict.ts';
import type { Result } from './results/result.ts';
import { runChecks } from './run/check.ts';
import { decideCases } from './run/outcome.ts';
import { prepare } from './run/prepare.ts';
import { removeLeftovers } from './run/remove-leftovers.ts';
import { Run } from './run/run.ts';

export interface Conformance {
  /** Runs the suite once. */
  run(): Promise<Report>;
}

/**
 * Creates a run that checks whether a deployment follows the contract.
 *
 * @throws StartError if an option is invalid. `run` rejects with a StartError if a target does not respond or
 *   rejects every credential
 * @example
 * const report = await createConformance({
 *   gatewayUrl: 'http://127.0.0.1:4010',
 *   storageUrl: 'http://127.0.0.1:4010',
 *   gatewayToken: 'any',
 *   storageHeaders: { 'X-Svc-Authorization': '1.0 any', 'X-Svc-TimeStamp': '1700000000' },
 * }).run();
 * process.exitCode = report.exitCode;
 */
export function createConformance(options: ConformanceOptions): Conformance {
  const settings = toSettings(options);
  return { run: () => runConformance(settings) };
}

export async function runConformance(settings: Settings): Promise<Report> {
  const started = new Date();
  const controller = new AbortController();
  const budget = setTimeout(
    () => controller.abort(`the time budget of ${settings.budget} s is used up`),
    settings.budget * 1000,
  );
  const interrupt = () => controller.abort('the run was interrupted');
  settings.signal?.addEventListener('abort', interrupt, { once: true });
  if (settings.signal?.aborted) interrupt();
  const run = new Run(settings, controller.signal);
  let results: Result[] = [];
  let leftovers: string[] = [];
  try {
    await prepare(run, [...checks, ...transactions, ...workflows]);
    const ended = await Promise.all([runChecks(run, checks), runDredd(run), runWorkflows(run)]);
    const decided = await decideCases(run, ended.flat());
    results = decided.map((result) =>
      toResult(settings, started, run.secrets.redactResult(result)),
    );
  } finally {
    clearTimeout(budget);
    settings.signal?.removeEventListener('abort', interrupt);
    // Aborts whatever is still running, before removing what it may have stored.
    controller.abort('the run is over');
    leftovers = await removeLeftovers(run);
  }
  const targets = settings.apis.map((api) => {
    const { name, document } = documents[api];
    return { api, url: settings[`${api}Url`], contract: name, version: document.info.version };
  });
  return createReport(settings, started, results, { targets, calls: run.calls, leftovers });
}
