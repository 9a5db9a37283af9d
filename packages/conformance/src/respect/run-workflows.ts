import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { NetworkFault } from '../http/network-fault.ts';
import { Throttled } from '../http/throttled.ts';
import { toSentSize } from '../http/to-sent-size.ts';
import type { Finding, Result } from '../result.ts';
import type { Run } from '../run/run.ts';
import { toEvidence } from '../trial/to-evidence.ts';
import { createFetch, type RecordedFetch } from './create-fetch.ts';
import { type Executed, listSteps, runFile } from './run-file.ts';
import { toSentence } from './to-sentence.ts';
import { whyNotRun } from './why-not-run.ts';
import { type Workflow, type WorkflowFile, workflowFiles } from './workflows.ts';

const { resolve } = createRequire(import.meta.url);

/** Runs the workflows of the contract with Respect, each result as soon as it is known. */
export async function runWorkflows(run: Run, onResult: (result: Result) => void): Promise<void> {
  for (const file of workflowFiles) {
    const reason = whyNotRun(run, file);
    for (const [id, workflow] of Object.entries(file.workflows)) {
      onResult(
        reason ? { ...toResult(id, workflow), ...reason } : await runWorkflow(run, file, id),
      );
    }
  }
}

async function runWorkflow(run: Run, file: WorkflowFile, id: string): Promise<Result> {
  const result = toResult(id, file.workflows[id] as Workflow);
  const started = performance.now();
  const recorded = createFetch(run);
  const path = resolve(`@berth/spec/workflows/${file.name}.arazzo.yaml`);
  try {
    const executed = await runFile({
      ...{ path, workflow: id, fetch: recorded.fetch, timeout: run.settings.timeout },
      servers: { gateway: run.settings.gatewayUrl, storage: run.settings.storageUrl },
      inputs: toInputs(run, file, id),
      readBody: async (name) => new Blob([await readFile(name)]),
    });
    Object.assign(result, judge(run, id, executed, recorded));
  } catch (error) {
    // What breaks Respect's parser is the target's; a call without an answer is the network's.
    Object.assign(result, toEnding(run, id, (error as Error).message, recorded));
  }
  return {
    ...result,
    requests: recorded.exchanges.length,
    bytes: recorded.exchanges.reduce((sum, { sent }) => sum + toSentSize(sent), 0),
    durationMs: Math.round(performance.now() - started),
  };
}

function judge(
  run: Run,
  id: string,
  executed: readonly Executed[],
  recorded: RecordedFetch,
): Partial<Result> {
  const steps = listSteps(executed);
  const { exchanges, fault } = recorded;
  const assertions = steps.reduce((sum, { checks }) => sum + checks.length, 0);
  const findings = steps.flatMap(({ stepId, checks }, index) => {
    // Each step makes one call, unless one of them could not be made.
    const own = exchanges.length === steps.length ? exchanges[index] : exchanges.at(-1);
    return checks
      .filter(({ passed, severity }) => !passed && severity === 'error')
      .map(({ name, condition, message }): Finding => {
        const said = condition ? `${condition} does not hold` : toSentence(message ?? '');
        const where = `workflows#/${id}/${stepId}`;
        return { message: `step ${stepId}: ${name}: ${said}`, where, ...(own && toEvidence(own)) };
      });
  });
  if (findings.length > 0 && fault) {
    return { ...toEnding(run, id, fault.message, recorded), assertions };
  }
  if (findings.length > 0) return { outcome: 'fail', findings, assertions };
  return assertions > 0 ? { outcome: 'pass', assertions } : {};
}

function toEnding(
  run: Run,
  id: string,
  message: string,
  { fault, exchanges }: RecordedFetch,
): Partial<Result> {
  if (run.signal.aborted) return { outcome: 'skip', reason: String(run.signal.reason) };
  if (fault instanceof NetworkFault) return { outcome: 'error', reason: fault.message };
  if (fault instanceof Throttled) return { outcome: 'skip', reason: fault.message };
  if (exchanges.length === 0) return { outcome: 'error', reason: `fault of the suite: ${message}` };
  const last = exchanges.at(-1);
  const finding = { message, where: `workflows#/${id}`, ...(last && toEvidence(last)) };
  return { outcome: 'fail', findings: [finding] };
}

function toInputs(run: Run, { writes }: WorkflowFile, id: string): Record<string, string> {
  const { env, prefix, service } = run.settings;
  const folder = `${prefix}/${run.mark}/${id}`;
  const paths = { path: 'hello.txt', srcPath: 'source.txt', dstPath: 'destination.txt' };
  const inFolder = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, `${folder}/${path}`]),
  );
  if (writes) for (const path of Object.values(inFolder)) run.leftovers.add(path);
  return {
    ...inFolder,
    // Every call is signed on its way; Respect only has to have something to send.
    ...{ authorization: 'signed', sessionToken: '', timestamp: '0', token: 'signed' },
    ...{ envId: env, name: service, missingName: `berth-${run.mark}-missing` },
  };
}

function toResult(id: string, { title, operations, rules }: Workflow): Result {
  return {
    ...{ engine: 'respect', id, level: 'must', statement: title },
    rules: [...rules],
    operations: [...operations],
    ...{ outcome: 'error', findings: [], notes: [] },
    ...{ requests: 0, bytes: 0, assertions: 0, durationMs: 0 },
  };
}
