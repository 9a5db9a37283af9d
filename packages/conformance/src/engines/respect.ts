import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { toProfileDocument } from '@berth/spec/profile-documents';
import type { Step, WorkflowExecutionResult } from '@redocly/respect-core';
import { type Workflow, workflows } from '../contract/catalog.ts';
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
  const record: Recorded = { exchanges: [] };
  const { exchanges } = record;
  const { id } = workflow.case;
  let failures: Failure[];
  try {
    const steps = await execute(run, workflow, createFetch(run, workflow, record));
    const isChecked = steps.some(({ checks }) => checks.length > 0);
    if (!isChecked) record.fault ??= new Error('the workflow made no assertions');
    failures = listFailures(id, steps, exchanges);
  } catch (error) {
    // Respect could not read a response.
    const where = `workflows#/${id}`;
    const finding = withEvidence({ message: (error as Error).message, where }, exchanges.at(-1));
    failures = [{ finding, isAboutStatus: false }];
    if (exchanges.length === 0) record.fault ??= error as Error;
  }
  const durationMs = Math.round(performance.now() - started);
  const violations =
    failures.length > 0 ? exchanges.flatMap((exchange) => run.observer.validate(exchange)) : [];
  // What its responses violate is probably why it failed, unless it expected another status.
  const unexplained = failures.filter((each) => each.isAboutStatus || violations.length === 0);
  const findings = [...violations, ...unexplained.map(({ finding }) => finding)];
  return { ...decide(run, workflow, record.fault ? [] : findings, record.fault), durationMs };
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
    const failed = checks.filter(({ passed, severity }) => !passed && severity === 'error');
    // Each step makes one call.
    const exchange = exchanges.at(exchanges.length === steps.length ? index : -1);
    const where = `workflows#/${id}/${stepId}`;
    return failed.map(({ name, condition = '', message = '' }) => {
      // An excerpt of the body follows the first line.
      const [line] = stripVTControlCharacters(message).trim().split('\n', 1);
      const reason = condition === '' ? line : `${condition} does not hold`;
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
  /** The error of the last call that got no response. */
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

  return async (input, init) => {
    const url = String(vault.reveal(String(input)));
    if (!isWebUrl(url)) throw new TypeError(`${quoteJson(url)} is not a URL that can be called`);
    const request = new Request(url, { ...init, signal: null });
    const operation = findOperation({ method: request.method, url }, run.settings);
    const exchange = await call(url, request, operation).catch((error) => {
      record.fault = error;
      throw error;
    });
    record.exchanges.push(exchange);
    const { status, headers, json, body } = exchange.received;
    const expected = operation ? toDocumented(operation, status) : status;
    const hasBody = ![204, 205, 304].includes(expected);
    const content = json === undefined ? Uint8Array.from(body) : vault.conceal(json);
    // Respect accepts only one spelling of a media type.
    const shown = headers.map(([name, value]): [string, string] =>
      name.toLowerCase() === 'content-type' ? [name, toPlainType(value)] : [name, value],
    );
    return new Response(hasBody ? content : null, { status: expected, headers: shown });
  };
}

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
