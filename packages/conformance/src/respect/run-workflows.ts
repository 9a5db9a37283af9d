import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { toProfileDocument } from '@berth/spec/profile-documents';
import { createRunCaller, FOLDER, type Run } from '../context/run.ts';
import {
  lacking,
  leftOut,
  noUrl,
  refused,
  type SkipReason,
  toEnding,
} from '../context/skip-reason.ts';
import { toEvidence } from '../context/to-evidence.ts';
import { followLink } from '../context/upload-client.ts';
import type { Caller } from '../http/caller.ts';
import { type Exchange, type HeaderList, toTarget, withHeaders } from '../http/exchange.ts';
import { NetworkFault, Throttled } from '../http/health.ts';
import { toPlainType } from '../http/media-type.ts';
import { createResult, type Finding, type Result } from '../result.ts';
import { readReply } from '../validation/read-storage.ts';
import { createVault, toContractBody, toExpectedStatus, type Vault } from './translate.ts';

/** The parts of a step or workflow run by Respect that the suite reads. */
interface Executed {
  stepId?: string;
  executedSteps?: Executed[];
  checks?: {
    name: string;
    passed: boolean;
    severity: string;
    message?: string;
    condition?: string;
  }[];
}

const silent = () => {};

/** Respect writes its progress to the terminal, where the suite shows its own. */
const SILENT = {
  ...{ info: silent, warn: silent, error: silent, output: silent },
  ...{ printNewLine: silent, printSeparator: silent, indent: (text: string) => text },
};

/** Runs the contract's workflows with Respect, and yields each result as soon as it is known. */
export async function runWorkflows(run: Run, onResult: (result: Result) => void): Promise<void> {
  for (const workflow of workflows) {
    const reason = workflowSkipReason(run, workflow);
    onResult(reason ? { ...toResult(workflow), ...reason } : await runWorkflow(run, workflow));
  }
}

function toResult({ id, title, operations, rules }: Workflow): Result {
  return createResult({
    ...{ engine: 'respect', id, level: 'must', statement: title, outcome: 'error' },
    ...{ rules: [...rules], operations: [...operations] },
  });
}

async function runWorkflow(run: Run, workflow: Workflow): Promise<Result> {
  const started = performance.now();
  const recorded = createFetch(run);
  let ending: Partial<Result>;
  try {
    ending = verify(run, workflow.id, await execute(run, workflow, recorded.fetch), recorded);
  } catch (error) {
    // If Respect's parser fails, the target is at fault; if a response is missing, the network is.
    ending = toOutcome(run, workflow.id, (error as Error).message, recorded);
  }
  return {
    ...{ ...toResult(workflow), ...ending },
    requests: recorded.exchanges.length,
    durationMs: Math.round(performance.now() - started),
  };
}

/** Runs a workflow with Redocly Respect, which is imported here because loading it is slow. */
async function execute(run: Run, { id, file }: Workflow, fetch: RecordedFetch['fetch']) {
  const [respect, { BaseResolver, createConfig }] = await Promise.all([
    import('@redocly/respect-core'),
    import('@redocly/openapi-core'),
  ]);
  const profile = { ...run.settings.wireProfile, copyPaths: run.copyPaths };
  /** Reads the workflows and the documents in the words of the deployment. */
  class ProfileResolver extends BaseResolver {
    override parseDocument(
      ...given: Parameters<InstanceType<typeof BaseResolver>['parseDocument']>
    ) {
      const document = super.parseDocument(...given);
      return { ...document, parsed: toProfileDocument(document.parsed, profile) };
    }
  }
  const { gatewayUrl, storageUrl, timeout } = run.settings;
  const path = createRequire(import.meta.url).resolve(`@berth/spec/workflows/${file}.arazzo.yaml`);
  const results = await respect.run({
    ...{ files: [path], workflow: [id], fetch, maxFetchTimeout: timeout, maxSteps: 200 },
    server: [`gateway=${gatewayUrl}`, `storage=${storageUrl}`],
    input: JSON.stringify(toInputs(run, file, id)),
    config: await createConfig({}),
    externalRefResolver: new ProfileResolver(),
    requestFileLoader: {
      // The content of a file that a workflow uploads.
      getFileBody: async (name: string) => new Blob([await readFile(name)]),
    },
    ...{ logger: SILENT, skipLint: true, noSecretsMasking: true },
  });
  return results.flatMap(({ executedWorkflows }) => executedWorkflows as unknown as Executed[]);
}

function toInputs(run: Run, file: Workflow['file'], id: string): Record<string, string> {
  const { env, service } = run.settings;
  const folder = `${FOLDER}/${run.mark}/${id}`;
  const paths = {
    path: `${folder}/hello.txt`,
    srcPath: `${folder}/source.txt`,
    dstPath: `${folder}/destination.txt`,
  };
  if (file !== 'gateway')
    for (const path of Object.values(paths)) run.leftovers.set(path, undefined);
  return {
    ...paths,
    // Every call is signed later; Respect only needs something to send.
    ...{ authorization: 'signed', sessionToken: '', timestamp: '0', token: 'signed' },
    ...{ envId: env, name: service, missingName: `berth-${run.mark}-missing` },
  };
}

function verify(
  run: Run,
  id: string,
  executed: readonly Executed[],
  recorded: RecordedFetch,
): Partial<Result> {
  const steps = listSteps(executed);
  const { exchanges, fault } = recorded;
  const assertions = steps.reduce((sum, { checks = [] }) => sum + checks.length, 0);
  const findings = steps.flatMap(({ stepId = '', checks = [] }, index) => {
    // Each step makes one call, unless a call failed.
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
    return { ...toOutcome(run, id, fault.message, recorded), assertions };
  }
  if (findings.length > 0) return { outcome: 'fail', findings, assertions };
  return assertions > 0 ? { outcome: 'pass', assertions } : {};
}

/** Lists the steps of workflows, including those of the workflows that they call. */
function listSteps(executed: readonly Executed[]): Executed[] {
  return executed.flatMap((each) => (each.executedSteps ? listSteps(each.executedSteps) : [each]));
}

/**
 * Converts the message of a failed Respect check to one line, without colours, and with only the failing line
 * of a body.
 *
 * @example
 * toSentence('TYPE must be string\n\n  3 | {\n> 4 |   "id": 1,\n    |         ^ type must be string');
 * // TYPE must be string at "id": 1,
 */
function toSentence(message: string): string {
  return stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(\d+ )?\|/.test(line))
    .map((line) => line.replace(/^> *\d+ \| */, 'at '))
    .join(' ');
}

function toOutcome(
  run: Run,
  id: string,
  message: string,
  { fault, exchanges }: RecordedFetch,
): Partial<Result> {
  const isOfNetwork = fault instanceof NetworkFault || fault instanceof Throttled;
  if (run.signal.aborted || isOfNetwork) return toEnding(fault, run);
  if (exchanges.length === 0) return { outcome: 'error', reason: `bug in the suite: ${message}` };
  const last = exchanges.at(-1);
  const finding = { message, where: `workflows#/${id}`, ...(last && toEvidence(last)) };
  return { outcome: 'fail', findings: [finding] };
}

interface RecordedFetch {
  fetch: typeof fetch;
  exchanges: Exchange[];
  /** The last call that got no response. */
  fault?: Error;
}

/**
 * Creates a `fetch` for Respect whose calls are like all others of the run: signed with its credentials, with
 * its timeouts and CAs, and with the names and forms that the operator declared.
 */
function createFetch(run: Run): RecordedFetch {
  const caller = createRunCaller(run);
  const { settings, secrets } = run;
  const { storeFileID, envelope } = settings.wireProfile;
  const vault = createVault(storeFileID);
  const recorded: RecordedFetch = {
    exchanges: [],
    async fetch(input, init) {
      try {
        const exchange = await call(run, caller, vault, vault.reveal(String(input)), init ?? {});
        recorded.exchanges.push(exchange);
        const { headers, json, body: own } = exchange.received;
        const { url } = exchange.sent;
        const isStorage = url.startsWith(`${settings.storageUrl}/api/v2/`);
        if (isStorage) secrets.addGrant(readReply(exchange, envelope).data);
        const operationId = isStorage ? url.slice(url.lastIndexOf(':') + 1) : undefined;
        const status = toExpectedStatus(operationId, exchange.received.status);
        // Without the values that Respect only passes on.
        const body = json === undefined ? own : Buffer.from(JSON.stringify(vault.conceal(json)));
        const hasBody = ![204, 205, 304].includes(status);
        // Respect accepts only one spelling of a media type.
        const visible = headers.map(([name, value]): [string, string] => [
          name,
          name.toLowerCase() === 'content-type' ? toPlainType(value) : value,
        ]);
        return new Response(hasBody ? Uint8Array.from(body) : null, { status, headers: visible });
      } catch (error) {
        recorded.fault = error as Error;
        throw error;
      }
    },
  };
  return recorded;
}

async function call(
  run: Run,
  caller: Caller,
  vault: Vault,
  url: string,
  init: RequestInit,
): Promise<Exchange> {
  const { settings } = run;
  const { origin } = new URL(url);
  const target = toTarget(url);
  const request = new Request(url, { ...init, signal: null });
  const given: HeaderList = [...request.headers].filter(([name]) => name !== 'content-length');
  const written = Buffer.from(await request.arrayBuffer());
  const isGateway = url.startsWith(`${settings.gatewayUrl}/v1/cloudrun/`);
  const isStorage = url.startsWith(`${settings.storageUrl}/api/v2/`);
  const { body, headers: plain } = await toContractBody(run, vault, isStorage, given, written);
  const host = isGateway ? settings.gatewayHost : undefined;
  const headers = host === undefined ? plain : withHeaders(plain, [['Host', host]]);
  const method = request.method;
  if (method === 'GET' && !isGateway && !isStorage) return followLink(caller, url, headers);
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const isSigned = isStorage || (isGateway && request.headers.has('authorization'));
  const unsigned = { method, url: origin + target, headers, body };
  const credentials = isSigned ? (signer?.(unsigned) ?? []) : [];
  return caller.call({ method, origin, target, headers: withHeaders(headers, credentials), body });
}

interface Workflow {
  id: string;
  /** Name of its document in `@berth/spec/workflows`. */
  file: 'files' | 'copy' | 'overwrite' | 'move' | 'gateway';
  title: string;
  operations: readonly string[];
  rules: readonly string[];
}

const UPLOAD = ['getUploadMetaData', 'uploadFile'];
const COPIES = [...UPLOAD, 'batchCopyFile', 'batchGetTempUrls', 'batchDelete'];

/**
 * The contract's workflows that run on their own. Workflows in other files start with steps that are defined in
 * `files`.
 */
const workflows: readonly Workflow[] = [
  {
    ...{ id: 'upload-file', file: 'files', title: 'Upload a file in two steps.' },
    ...{ operations: UPLOAD, rules: ['ST-META-CALL', 'UP-FORM', 'UP-RESPONSE'] },
  },
  {
    ...{ id: 'download-file', file: 'files' },
    title: 'Upload a file and download it through a link.',
    operations: [...UPLOAD, 'batchGetTempUrls'],
    rules: ['ST-LINKS-CALL', 'ST-LINKS-DOWNLOAD', 'UP-FILE-ID'],
  },
  {
    ...{ id: 'delete-file', file: 'files', title: 'Upload a file and delete it.' },
    operations: [...UPLOAD, 'batchDelete', 'batchGetTempUrls'],
    rules: ['ST-DELETE-CALL', 'ST-LINKS-MISSING'],
  },
  {
    ...{ id: 'copy-file', file: 'copy', title: 'Copy a file and keep its source.' },
    operations: COPIES,
    rules: ['ST-COPY-CALL', 'ST-COPY-MOVE', 'ST-COPY-OVERWRITE'],
  },
  {
    ...{ id: 'copy-without-overwriting', file: 'overwrite' },
    title: 'Copy a file without overwriting the existing destination.',
    operations: [...UPLOAD, 'batchCopyFile', 'batchDelete'],
    rules: ['ST-COPY-OVERWRITE', 'ST-RESPONSE'],
  },
  {
    ...{ id: 'move-file', file: 'move', operations: COPIES, rules: ['ST-COPY-MOVE'] },
    title: 'Move a file, so that its source no longer exists.',
  },
  {
    ...{ id: 'call-service', file: 'gateway' },
    title: 'Call the root and another path of a hosted service.',
    operations: ['cloudrun-get-root', 'cloudrun-post'],
    rules: ['GW-PATH', 'GW-PATH', 'GW-C1', 'GW-REQUEST-ID'],
  },
  {
    ...{ id: 'call-missing-service', file: 'gateway' },
    title: 'Call a hosted service that does not exist.',
    operations: ['cloudrun-get-root'],
    rules: ['GW-ERROR-NOT-FOUND', 'GW-ERROR'],
  },
  {
    ...{ id: 'call-without-credentials', file: 'gateway' },
    title: 'Call a hosted service without credentials.',
    operations: ['cloudrun-get-root'],
    rules: ['AU-NONE', 'GW-ERROR', 'GW-ERROR'],
  },
];

function workflowSkipReason(run: Run, { file }: Workflow): SkipReason | undefined {
  const api = file === 'gateway' ? 'gateway' : 'storage';
  return (
    leftOut(run, 'respect') ??
    lacking(run, api === 'storage' ? ['writes'] : []) ??
    noUrl(run, api) ??
    refused(run, api) ??
    lacking(run, [api === 'storage' ? 'storageCredentials' : 'fixture'])
  );
}
