import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { toProfileDocument } from '@berth/spec/profile-documents';
import type { Step, WorkflowExecutionResult } from '@redocly/respect-core';
import { type Workflow, workflows } from '../contract/catalog.ts';
import { NotRunError } from '../errors.ts';
import { type Exchange, isWebUrl, splitTarget, toCallUrl, toPlainType } from '../http/exchange.ts';
import type { Operation } from '../invariants/invariant.ts';
import { findOperation, toDocumented } from '../invariants/observer.ts';
import { toFields } from '../json.ts';
import { quoteJson } from '../results/redact.ts';
import { type CheckResult, type Finding, withEvidence } from '../results/result.ts';
import { findBlocker } from '../run/blocker.ts';
import { CallContext } from '../run/call-context.ts';
import { listDestinations } from '../run/clients.ts';
import { decide } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';

export async function runWorkflows(run: Run): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const workflow of workflows) {
    const blocker = findBlocker(run, workflow);
    const result = blocker ? decide(run, workflow, [], blocker) : await runWorkflow(run, workflow);
    run.settings.onCheck(result);
    results.push(result);
  }
  return results;
}

async function runWorkflow(run: Run, workflow: Workflow) {
  const started = performance.now();
  const record: Recorded = { exchanges: [], failures: [] };
  const { exchanges, failures } = record;
  try {
    const steps = await execute(run, workflow, createFetch(run, workflow, record));
    const checks = steps.flatMap((step) => step.checks);
    if (checks.length === 0) record.fault ??= new Error('the workflow made no assertions');
    failures.push(...listFailures(workflow.case.id, steps, exchanges));
    const stopped = checks.find(
      (check) => isFailed(check) && !RESPONSE_CHECKS.includes(check.name),
    );
    if (stopped && failures.length === 0) throw new Error(toFirstLine(stopped));
  } catch (error) {
    record.fault ??= new NotRunError(`Respect: ${(error as Error).message}`);
  }
  const durationMs = Math.round(performance.now() - started);
  const hasFailed = failures.length > 0 || record.fault !== undefined;
  const violations = hasFailed ? exchanges.flatMap((each) => run.observer.validate(each)) : [];
  // What its responses violate is probably why it failed, unless it expected another status.
  const unexplained = failures.filter((each) => each.isAboutStatus || violations.length === 0);
  const others = record.fault ? [] : unexplained.map(({ finding }) => finding);
  return { ...decide(run, workflow, [...violations, ...others], record.fault), durationMs };
}

/** What Respect calls its checks of responses. Any other that fails is an error of Respect, or of the suite. */
const RESPONSE_CHECKS = [
  'success criteria check',
  'status code check',
  'schema check',
  'content-type check',
];

type RespectCheck = Step['checks'][number];

const isFailed = ({ passed, severity }: RespectCheck) => !passed && severity === 'error';

/** An excerpt of the body follows the first line. */
function toFirstLine({ message = '' }: RespectCheck): string {
  return stripVTControlCharacters(message).trim().split('\n', 1).join();
}

interface Failure {
  finding: Finding;
  isAboutStatus: boolean;
}

function listFailures(
  id: string,
  steps: readonly Step[],
  exchanges: readonly Exchange[],
): Failure[] {
  return steps.flatMap(({ stepId, checks }, index) => {
    const failed = checks.filter((each) => isFailed(each) && RESPONSE_CHECKS.includes(each.name));
    // Each step makes one call.
    const exchange = exchanges.at(exchanges.length === steps.length ? index : -1);
    const where = `workflows#/${id}/${stepId}`;
    return failed.map((check) => {
      const { name, condition = '' } = check;
      const reason = condition === '' ? toFirstLine(check) : `${condition} does not hold`;
      return {
        finding: withEvidence({ message: `step ${stepId}: ${name}: ${reason}`, where }, exchange),
        isAboutStatus: condition.startsWith('$statusCode'),
      };
    });
  });
}

const nothing = () => {};

/** Respect writes its progress to the terminal, where the suite shows its own. */
const SILENT_LOGGER = {
  info: nothing,
  warn: nothing,
  error: nothing,
  output: nothing,
  printNewLine: nothing,
  printSeparator: nothing,
  indent: (text: string) => text,
};

/** Runs a workflow with Redocly Respect, which is imported here because loading it is slow. Returns its steps. */
async function execute(run: Run, workflow: Workflow, fetch: typeof globalThis.fetch) {
  const [respect, { BaseResolver, createConfig }] = await Promise.all([
    import('@redocly/respect-core'),
    import('@redocly/openapi-core'),
  ]);
  const { gatewayUrl, storageUrl, timeoutMs, wireProfile } = run.settings;
  const profile = { ...wireProfile, copyPaths: run.deployment.copyPaths };
  /** Reads the workflows and the documents with the deployment's names. */
  class ProfileResolver extends BaseResolver {
    override parseDocument(
      ...source: Parameters<InstanceType<typeof BaseResolver>['parseDocument']>
    ) {
      const document = super.parseDocument(...source);
      return { ...document, parsed: toProfileDocument(document.parsed, profile) };
    }
  }
  const path = createRequire(import.meta.url).resolve(`@berth/spec/workflows/${workflow.file}`);
  const results = await respect.run({
    files: [path],
    workflow: [workflow.case.id],
    fetch,
    maxFetchTimeout: timeoutMs,
    maxSteps: 200,
    server: [`gateway=${gatewayUrl}`, `storage=${storageUrl}`],
    input: JSON.stringify(toInputs(run, workflow.case.id)),
    config: await createConfig({}),
    externalRefResolver: new ProfileResolver(),
    requestFileLoader: {
      // The content of a file that a workflow uploads.
      getFileBody: async (name: string) => new Blob([await readFile(name)]),
    },
    logger: SILENT_LOGGER,
    skipLint: true,
    noSecretsMasking: true,
  });
  const executed = results.flatMap(({ executedWorkflows }) => executedWorkflows);
  return listSteps(executed as WorkflowExecutionResult[]);
}

function listSteps(executed: readonly (Step | WorkflowExecutionResult)[]): Step[] {
  return executed.flatMap((each) =>
    'executedSteps' in each ? listSteps(each.executedSteps as Step[]) : [each],
  );
}

function toInputs(run: Run, id: string): Record<string, string> {
  const { env, service } = run.settings;
  const folder = run.newFolder(id);
  return {
    path: `${folder}/hello.txt`,
    srcPath: `${folder}/source.txt`,
    dstPath: `${folder}/destination.txt`,
    envId: env,
    name: service,
    missingName: run.uniqueName(),
    // Every call is signed later; Respect only needs something to send.
    authorization: 'signed',
    sessionToken: '',
    timestamp: '0',
    token: 'signed',
  };
}

interface Recorded {
  exchanges: Exchange[];
  failures: Failure[];
  /** What kept the workflow from ending: a call without a response, or a bug. */
  fault?: Error;
}

/** Makes Respect's calls the way the suite makes its own: with its credentials, timeouts, CAs and names. */
function createFetch(run: Run, workflow: Workflow, record: Recorded): typeof fetch {
  const { caller, gateway, storage, files } = new CallContext(run, workflow);
  const { storeFileID, storageHeaders } = run.settings.wireProfile;
  const hidden = ['url', 'token', 'authorization', 'fileID', 'tempFileURL', storeFileID];
  const vault = createVault(hidden);
  const credentials = Object.values(storageHeaders).map((name) => name.toLowerCase());
  const replaced = ['content-length', 'authorization', ...credentials];
  /** The paths that a call has requested an upload for. */
  const granted: string[] = [];

  async function call(url: string, request: Request, operation?: Operation): Promise<Exchange> {
    const { method } = request;
    const headers = [...request.headers].filter(([name]) => !replaced.includes(name));
    if (operation?.api === 'gateway') {
      const { service = '', rest = '' } = operation;
      const { search } = splitTarget(url);
      const path = rest + (search && `?${search}`);
      const body = new Uint8Array(await request.arrayBuffer());
      const credentials = request.headers.has('authorization') ? 'valid' : 'none';
      return gateway.call({ method, service, path, headers, body, credentials });
    }
    if (operation !== undefined) {
      const fields = JSON.parse(await request.text(), (_, value) => vault.reveal(value));
      const { path } = toFields(fields);
      if (typeof path === 'string') granted.push(path);
      for (const each of [...granted, ...listDestinations(fields)]) files.track(each);
      return storage.call(operation.operationId, fields, { headers });
    }
    if (method === 'GET') return files.download(url, headers);
    // An upload; the file is text.
    const body = Buffer.from(String(vault.reveal(await request.text())));
    const exchange = await caller.call({ method, url: toCallUrl(url), headers, body });
    if (exchange.received.status >= 400) return exchange;
    for (const path of granted) run.acknowledged.add(path);
    return exchange;
  }

  async function respond(url: string, init?: RequestInit): Promise<Response> {
    const request = new Request(url, { ...init, signal: null });
    const operation = findOperation({ method: request.method, url }, run.settings);
    const exchange = await call(url, request, operation);
    record.exchanges.push(exchange);
    const { status, headers, json, body } = exchange.received;
    const expected = operation ? toDocumented(operation, status) : status;
    const hasBody = ![204, 205, 304].includes(expected);
    const content = json === undefined ? Uint8Array.from(body) : vault.conceal(json);
    // Respect accepts only one spelling of a media type.
    const shown = headers.map(([name, value]): [string, string] =>
      name.toLowerCase() === 'content-type' ? [name, toPlainType(value)] : [name, value],
    );
    // A Response can have no other status. Findings show the actual one.
    const isPossible = expected >= 200 && expected < 600;
    return new Response(hasBody ? content : null, {
      status: isPossible ? expected : UNKNOWN_STATUS,
      headers: shown,
    });
  }

  return async (input, init) => {
    const url = String(vault.reveal(String(input)));
    if (isWebUrl(url)) {
      return respond(url, init).catch((error) => {
        record.fault = error;
        throw error;
      });
    }
    const message = `${quoteJson(url)} is not a URL that can be called`;
    const finding = { message, where: `workflows#/${workflow.case.id}` };
    const last = record.exchanges.at(-1);
    record.failures.push({ finding: withEvidence(finding, last), isAboutStatus: false });
    throw new TypeError(message);
  };
}

/** Any that no contract documents. */
const UNKNOWN_STATUS = 599;

/** Hides values from Respect that it only passes on, because it replaces `a.1` in a string with `a[1]`. */
function createVault(fields: readonly string[]) {
  const values: string[] = [];
  const toWord = (value: string) => {
    if (!values.includes(value)) values.push(value);
    return `http://value-${values.indexOf(value)}.invalid`;
  };
  return {
    conceal: (body: unknown) =>
      JSON.stringify(body, (name, value) =>
        fields.includes(name) && typeof value === 'string' && value !== '' ? toWord(value) : value,
      ),
    /** Returns a text with the values of all words, and any other value unchanged. */
    reveal: (text: unknown) =>
      typeof text === 'string'
        ? text.replace(/http:\/\/value-(\d+)\.invalid/g, (_, index) => values[index] ?? '')
        : text,
  };
}
