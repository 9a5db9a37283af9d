import { checks } from './checks/index.ts';
import { createRun, type Run } from './context/run.ts';
import { lacking, leftOut, noUrl, refused } from './context/skip-reason.ts';
import { documents } from './contract/operations.ts';
import { runTransactions } from './dredd/run-transactions.ts';
import { type ConformanceOptions, type Settings, toSettings } from './options.ts';
import { createReport, type Report } from './report/to-report.ts';
import { runWorkflows } from './respect/run-workflows.ts';
import { type Result, StartError } from './result.ts';
import {
  findCopyPaths,
  findGatewayCredentials,
  findStorageForm,
  probe,
} from './run/find-targets.ts';
import { removeLeftovers } from './run/remove-leftovers.ts';
import { runChecks } from './run/run-checks.ts';

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
 * }).run();
 * process.exitCode = report.exitCode;
 */
export function createConformance(options: ConformanceOptions): Conformance {
  const settings = toSettings(options);
  return { run: () => run(settings) };
}

async function run(settings: Settings): Promise<Report> {
  const started = new Date();
  const ends = new AbortController();
  const budget = setTimeout(
    () => ends.abort(`the time budget of ${settings.budget} s is used up`),
    settings.budget * 1000,
  );
  const interrupt = () => ends.abort('the run was interrupted');
  settings.signal?.addEventListener('abort', interrupt, { once: true });
  if (settings.signal?.aborted) interrupt();
  const shared = createRun(settings, ends.signal);
  const results: Result[] = [];
  const onResult = (result: Result) => {
    const redacted = withoutSecrets(shared, result);
    results.push(redacted);
    settings.onResult(redacted);
  };
  let leftovers: string[] = [];
  try {
    await prepare(shared);
    await Promise.all([
      runChecks(shared, checks, onResult),
      runTransactions(shared, onResult),
      runWorkflows(shared, onResult),
    ]);
  } finally {
    clearTimeout(budget);
    settings.signal?.removeEventListener('abort', interrupt);
    // Aborts whatever is still running, before removing what it may have stored.
    ends.abort('the run is over');
    leftovers = await removeLeftovers(shared);
  }
  return createReport(settings, started, results, {
    targets: toTargets(settings),
    seed: settings.seed,
    leftovers,
  });
}

/** @throws StartError if a target does not respond, or none accepts the credentials */
async function prepare(run: Run): Promise<void> {
  const { apis } = run.settings;
  const find = { gateway: findGatewayCredentials, storage: findStorageForm };
  try {
    await Promise.all(apis.map((api) => probe(api, run.settings[`${api}Url`], run)));
    await Promise.all(apis.map((api) => find[api](run)));
    if (mayCopy(run)) await findCopyPaths(run);
  } catch (error) {
    // Every check then reports why it did not run.
    if (!run.signal.aborted) throw error;
  }
  const refusals = apis.map((api) => run.refused[api]);
  if (!refusals.every((refusal) => refusal?.isOfCredentials)) return;
  const reasons = refusals.map((refusal) => refusal?.reason);
  throw new StartError(`Nothing can be checked: ${reasons.join('; ')}.`);
}

/** Whether the operator selected a check that may copy files. */
function mayCopy(run: Run): boolean {
  const writing = checks.filter(({ needs }) => needs.includes('writes')).map(({ rule }) => rule);
  const isSelected = [...writing, 'dredd', 'respect'].some((id) => !leftOut(run, id));
  const needs = lacking(run, ['storageCredentials', 'writes']);
  return isSelected && !(noUrl(run, 'storage') ?? refused(run, 'storage') ?? needs);
}

/**
 * Redacts what comes from the run. The rest is the contract's text, even if a password happens to be one of
 * its words.
 */
function withoutSecrets({ secrets }: Run, result: Result): Result {
  const { reason, findings, notes } = result;
  const said = reason === undefined ? {} : { reason };
  return { ...result, ...secrets.redact({ ...said, findings, notes }) };
}

function toTargets(settings: Settings): Report['targets'] {
  return settings.apis.map((api) => {
    const { name, document } = documents[api];
    return { api, url: settings[`${api}Url`], contract: name, version: document.info.version };
  });
}
