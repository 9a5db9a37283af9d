import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { toProfileDocument } from '@berth/spec/profile-documents';
import { FOLDER, type Run } from '../context/run.ts';
import { findExclusion, findObstacle, toEnding } from '../context/skip-reason.ts';
import type { Exchange } from '../http/exchange.ts';
import { toReportedCall } from '../http/reported-call.ts';
import { createResult, type Finding, type Result } from '../result.ts';
import { createFetch, type Recorded } from './create-fetch.ts';

/**
 * The contract's workflows that run on their own, each with the name of its document in `@berth/spec/workflows`. Those
 * in other files start with steps that are in `files`.
 */
const WORKFLOWS: [id: string, file: string, statement: string][] = [
  ['upload-file', 'files', 'Upload a file in two steps.'],
  ['download-file', 'files', 'Upload a file and download it through a link.'],
  ['delete-file', 'files', 'Upload a file and delete it.'],
  ['copy-file', 'copy', 'Copy a file and keep its source.'],
  ['copy-without-overwriting', 'overwrite', 'Copy a file without overwriting one.'],
  ['move-file', 'move', 'Move a file, so that its source no longer exists.'],
  ['call-service', 'gateway', 'Call the root and another path of a hosted service.'],
  ['call-missing-service', 'gateway', 'Call a hosted service that does not exist.'],
  ['call-without-credentials', 'gateway', 'Call a service without credentials.'],
];

export const workflows = WORKFLOWS.map(([id, file, statement]) => ({ id, file, statement }));

type Workflow = (typeof workflows)[number];

export function toWorkflowResult({ id, statement }: Workflow): Result {
  return createResult({ engine: 'respect', id, statement });
}

export async function runWorkflows(run: Run, onResult: (result: Result) => void): Promise<void> {
  for (const workflow of workflows) {
    const obstacle =
      workflow.file === 'gateway'
        ? findObstacle(run, 'gateway', ['fixture'])
        : findObstacle(run, 'storage', ['storageCredentials', 'writes']);
    const ending =
      findExclusion(run, 'respect', workflow.id) ?? obstacle ?? (await runWorkflow(run, workflow));
    onResult({ ...toWorkflowResult(workflow), ...ending });
  }
}

/** A step or a workflow that Respect has run. */
interface Executed {
  stepId?: string;
  executedSteps?: Executed[];
  checks?: RespectCheck[];
}

interface RespectCheck {
  name: string;
  passed: boolean;
  severity: string;
  message?: string;
  condition?: string;
}

async function runWorkflow(run: Run, { id, file }: Workflow): Promise<Partial<Result>> {
  const started = performance.now();
  const record: Recorded = { exchanges: [] };
  const { exchanges } = record;
  const where = `workflows#/${id}`;
  let outcome: Partial<Result>;
  try {
    const steps = await execute(run, id, file, createFetch(run, record));
    const assertions = steps.flatMap(({ checks = [] }) => checks).length;
    const findings = steps.flatMap(({ stepId = '', checks = [] }, index): Finding[] => {
      const failed = checks.filter(({ passed, severity }) => !passed && severity === 'error');
      // Each step makes one call.
      const shown = showAt(exchanges, exchanges.length === steps.length ? index : -1);
      return failed.map(({ name, condition, message = '' }) => {
        // An excerpt of the body follows the first line.
        const [line] = stripVTControlCharacters(message).trim().split('\n', 1);
        const reason = condition ? `${condition} does not hold` : line;
        const text = `step ${stepId}: ${name}: ${reason}`;
        return { message: text, where: `${where}/${stepId}`, ...shown };
      });
    });
    const passed = assertions > 0 ? 'pass' : 'error';
    outcome = { outcome: findings.length > 0 ? 'fail' : passed, findings };
  } catch (error) {
    // Respect could not read a response.
    const finding = { message: (error as Error).message, where, ...showAt(exchanges, -1) };
    if (exchanges.length === 0) record.fault ??= error as Error;
    outcome = { outcome: 'fail', findings: [finding] };
  }
  return {
    ...(record.fault ? toEnding(record.fault, run) : outcome),
    durationMs: Math.round(performance.now() - started),
  };
}

function showAt(exchanges: readonly Exchange[], index: number): Partial<Finding> {
  const exchange = exchanges.at(index);
  return exchange === undefined ? {} : toReportedCall(exchange);
}

const nothing = () => {};

/** Respect writes its progress to the terminal, where the suite shows its own. */
const SILENT = {
  info: nothing,
  warn: nothing,
  error: nothing,
  output: nothing,
  printNewLine: nothing,
  printSeparator: nothing,
  indent: (text: string) => text,
};

/** Runs a workflow with Redocly Respect, which is imported here because loading it is slow. Returns its steps. */
async function execute(run: Run, id: string, file: string, fetch: typeof globalThis.fetch) {
  const [respect, { BaseResolver, createConfig }] = await Promise.all([
    import('@redocly/respect-core'),
    import('@redocly/openapi-core'),
  ]);
  const { gatewayUrl, storageUrl, timeout, wireProfile } = run.settings;
  const profile = { ...wireProfile, copyPaths: run.copyPaths };
  /** Reads the workflows and the documents with the deployment's names. */
  class ProfileResolver extends BaseResolver {
    override parseDocument(
      ...source: Parameters<InstanceType<typeof BaseResolver>['parseDocument']>
    ) {
      const document = super.parseDocument(...source);
      return { ...document, parsed: toProfileDocument(document.parsed, profile) };
    }
  }
  const path = createRequire(import.meta.url).resolve(`@berth/spec/workflows/${file}.arazzo.yaml`);
  const results = await respect.run({
    files: [path],
    workflow: [id],
    fetch,
    maxFetchTimeout: timeout,
    maxSteps: 200,
    server: [`gateway=${gatewayUrl}`, `storage=${storageUrl}`],
    input: JSON.stringify(toInputs(run, id)),
    config: await createConfig({}),
    externalRefResolver: new ProfileResolver(),
    requestFileLoader: {
      // The content of a file that a workflow uploads.
      getFileBody: async (name: string) => new Blob([await readFile(name)]),
    },
    logger: SILENT,
    skipLint: true,
    noSecretsMasking: true,
  });
  return listSteps(results.flatMap(({ executedWorkflows }) => executedWorkflows as Executed[]));
}

/** Includes the steps of the workflows that steps call. */
function listSteps(executed: readonly Executed[]): Executed[] {
  return executed.flatMap((each) => (each.executedSteps ? listSteps(each.executedSteps) : [each]));
}

function toInputs(run: Run, id: string): Record<string, string> {
  const { env, service } = run.settings;
  const folder = `${FOLDER}/${run.mark}/${id}`;
  return {
    path: `${folder}/hello.txt`,
    srcPath: `${folder}/source.txt`,
    dstPath: `${folder}/destination.txt`,
    envId: env,
    name: service,
    missingName: `berth-${run.mark}-missing`,
    // Every call is signed later; Respect only needs something to send.
    authorization: 'signed',
    sessionToken: '',
    timestamp: '0',
    token: 'signed',
  };
}
