import { createRequire } from 'node:module';
import { toProfileDocument } from '@berth/spec/profile-documents';
import { createRunCaller, FOLDER, type Run } from '../context/run.ts';
import {
  disabled,
  lacking,
  leftOut,
  type Need,
  noUrl,
  refused,
  type SkipReason,
} from '../context/skip-reason.ts';
import { changesFiles, toForm } from '../context/storage-client.ts';
import { toEvidence } from '../context/to-evidence.ts';
import {
  type Api,
  dereference,
  type OpenapiDocument,
  type Parameter,
} from '../contract/openapi.ts';
import {
  documents,
  expandPath,
  findProvocation,
  type Transaction,
  toContract,
  toPlace,
} from '../contract/operations.ts';
import { findRules } from '../contract/rules.ts';
import gateway from '../generated/gateway.v1.openapi30.gen.json' with { type: 'json' };
import storage from '../generated/storage.v2.openapi30.gen.json' with { type: 'json' };
import { type Call, type HeaderList, toTarget, withHeaders } from '../http/exchange.ts';
import { Throttled } from '../http/health.ts';
import { createResult, type Result } from '../result.ts';
import { ResponseValidator } from '../validation/check-response.ts';
import { readReply } from '../validation/read-storage.ts';
import { checkTransaction } from './check-transaction.ts';
import { compileTransactions, type Draft } from './compile.ts';

/** The contract in OpenAPI 3.0, which Dredd needs. */
export const copies = { gateway, storage } as unknown as Record<Api, OpenapiDocument>;

/**
 * Runs the transactions that Dredd creates for the contract's documented responses. Each response that Dredd
 * can run gets exactly one result, which is an error if Dredd does not create its transaction.
 */
export async function runTransactions(run: Run, onResult: (result: Result) => void): Promise<void> {
  const profile = { ...run.settings.wireProfile, copyPaths: run.copyPaths };
  const contract = toContract(profile);
  const open = new Set<Transaction>();
  for (const transaction of contract.transactions) {
    if (!isDriven(transaction)) continue;
    const ending = transactionSkipReason(run, transaction);
    if (ending) onResult({ ...toResult(transaction), ...ending });
    else open.add(transaction);
  }
  if (open.size === 0) return;
  let fault = new Error('bug in the suite: Dredd did not request this response');
  const known: Known = {
    ...{ gateway: run.gatewayScheme !== undefined, storage: false },
    validator: new ResponseValidator(contract),
  };
  try {
    const own = toProfileDocument(Object.values(copies), profile);
    for (const draft of await compileTransactions(own, run.signal)) {
      const transaction = findTransaction(open, draft);
      if (transaction === undefined) continue;
      open.delete(transaction);
      onResult(await runTransaction(run, transaction, draft, known));
    }
  } catch (error) {
    fault = new Error(`bug in the suite: ${(error as Error).message}`);
  }
  for (const transaction of open) onResult({ ...toResult(transaction), ...toEnding(run, fault) });
}

/**
 * Returns whether Dredd can run a documented response. Responses that it cannot run get no result, and
 * are left to the checks for individual rules.
 */
function isDriven(transaction: Transaction): boolean {
  const { operationId, contentType } = transaction;
  // The fixture service accepts commands only below its root.
  if (operationId.endsWith('-root') && contentType === 'text/plain') return false;
  return isInCopy(transaction) && findProvocation(transaction)?.kind !== 'none';
}

/** Returns whether the OpenAPI 3.0 copy contains a documented response. */
export function isInCopy(transaction: Transaction): boolean {
  const { api, path, method, status, contentType } = transaction;
  const key = findProvocation(transaction)?.copyStatus ?? status;
  const response = copies[api].paths[path]?.[method]?.responses[key];
  if (response === undefined || '$ref' in response) return false;
  return contentType === undefined || response.content?.[contentType] !== undefined;
}

/** Returns why a documented response is not run, or `undefined` if it is run. */
function transactionSkipReason(run: Run, transaction: Transaction): SkipReason | undefined {
  const { api } = transaction;
  return (
    leftOut(run, 'dredd') ??
    noDredd() ??
    noUrl(run, api) ??
    refused(run, api) ??
    lacking(run, needsOf(transaction))
  );
}

/** Dredd is an optional peer dependency, because it brings many packages that are deprecated. */
function noDredd(): SkipReason | undefined {
  try {
    createRequire(import.meta.url).resolve('dredd');
    return undefined;
  } catch {
    return disabled('Dredd is not installed: npm install --save-dev dredd');
  }
}

function needsOf(transaction: Transaction): Need[] {
  const { api, operationId, status } = transaction;
  if (api === 'storage') {
    const writes = changesFiles(operationId) && status === '200';
    return writes ? ['storageCredentials', 'writes'] : ['storageCredentials'];
  }
  const { kind } = findProvocation(transaction) ?? {};
  if (kind === 'forbidden-service') return ['forbiddenService'];
  return kind === undefined ? ['fixture'] : [];
}

/** Creates the result of a transaction without a response. */
function toEnding({ signal }: Run, fault: Error): Pick<Result, 'outcome' | 'reason'> {
  if (signal.aborted) return { outcome: 'skip', reason: String(signal.reason) };
  return { outcome: fault instanceof Throttled ? 'skip' : 'error', reason: fault.message };
}

/** What earlier calls have shown: whether each API accepts the credentials, and a file ID. */
type Known = Record<Api, boolean> & { fileId?: string; validator: ResponseValidator };

async function runTransaction(
  run: Run,
  transaction: Transaction,
  draft: Draft,
  known: Known,
): Promise<Result> {
  const { api } = transaction;
  const result = { ...toResult(transaction), requests: 1 };
  try {
    const call = await prepareRequest(transaction, draft, run, known.fileId);
    const exchange = await createRunCaller(run).call(call);
    const { data } = readReply(exchange, run.settings.wireProfile.envelope);
    run.secrets.addGrant(data);
    if (typeof data?.fileID === 'string') known.fileId ??= data.fileID;
    // Checked against the complete OpenAPI 3.1 document, not the copy that Dredd reads.
    const { outcome, reason, findings } = checkTransaction(transaction, exchange, known[api], {
      ...{ validator: known.validator, settings: run.settings },
    });
    known[api] ||= exchange.received.status < 300;
    return {
      ...result,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      rules: [...new Set(findings.flatMap(({ where }) => findRules(where)))],
      findings: findings.map((finding) => ({ ...finding, ...toEvidence(exchange) })),
      assertions: Math.max(1, findings.length),
    };
  } catch (error) {
    return { ...result, ...toEnding(run, error as Error) };
  }
}

function toResult(transaction: Transaction): Result {
  const { name, operationId, status, contentType } = toPlace(transaction);
  const document = documents[transaction.api].name;
  const what = [status, contentType].filter(Boolean).join(' ');
  return createResult({
    ...{ engine: 'dredd', id: name, level: 'must', outcome: 'error' },
    statement: `The response to ${operationId} matches what ${document} documents for ${what}.`,
    ...{ rules: [], operations: [operationId] },
  });
}

function findTransaction(open: Set<Transaction>, draft: Draft): Transaction | undefined {
  return [...open].find(
    ({ api, operationId, status, contentType = '' }) =>
      copies[api].info.title === draft.title &&
      operationId === draft.operationId &&
      contentType === draft.contentType &&
      (findProvocation({ api, status })?.copyStatus ?? status) === draft.copyStatus,
  );
}

/**
 * Adapts a request that Dredd created from the examples to this target.
 *
 * @param fileId file ID that the target returned for a path of this run, if any
 */
async function prepareRequest(
  transaction: Transaction,
  { method, headers: drafted, body: example }: Draft,
  run: Run,
  fileId: string | undefined,
): Promise<Call> {
  const { settings } = run;
  const isGateway = transaction.api === 'gateway';
  const url = settings[`${transaction.api}Url`] + toPath(transaction, run);
  const provocation = findProvocation(transaction);
  const more: HeaderList = [
    ...(isGateway && settings.gatewayHost ? [['Host', settings.gatewayHost] as const] : []),
  ];
  const headers = withHeaders(drafted, more);
  const folder = `${FOLDER}/${run.mark}/dredd`;
  const fields = () =>
    provocation?.kind === 'missing-field' ? {} : toScratch(JSON.parse(example), folder, fileId);
  const body = Buffer.from(
    isGateway ? example : JSON.stringify(toForm(fields() as object, run.requestForm)),
  );
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const credentials = signer?.({ method, url, headers, body }) ?? [];
  const { origin } = new URL(url);
  const target = toTarget(url);
  return { method, origin, target, headers: withHeaders(headers, credentials), body };
}

/**
 * Replaces every path and file ID in an example request with one in this run's folder, so that no real file
 * is touched. Each string in a storage request is a path or a file ID.
 */
function toScratch(value: unknown, folder: string, fileId: string | undefined): unknown {
  if (typeof value === 'string') {
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  }
  if (Array.isArray(value)) return value.map((item) => toScratch(item, folder, fileId));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toScratch(item, folder, fileId)]),
  );
}

/** The text that the fixture service returns, if plain text is documented. */
const TEXT_PATH = '/respond?type=text%2Fplain&body=Hello.';

function toPath(transaction: Transaction, { settings, mark }: Run): string {
  const { env, service, forbiddenService = service } = settings;
  const names: Record<string, string> = {
    'unknown-service': `no-such-service-${mark}`,
    'forbidden-service': forbiddenService,
    'bad-name': `0${mark}-`,
  };
  const name = names[findProvocation(transaction)?.kind ?? ''] ?? service;
  if (transaction.contentType === 'text/plain' && transaction.status === '200') {
    return expandPath('/v1/cloudrun/{name}', { name }) + TEXT_PATH;
  }
  const examples = (transaction.pathItem.parameters ?? [])
    .map((node) => dereference<Parameter>(documents[transaction.api].document, node, '').value)
    .map((parameter) => [parameter.name, String(parameter.example)]);
  return expandPath(transaction.path, { ...Object.fromEntries(examples), envId: env, name });
}
