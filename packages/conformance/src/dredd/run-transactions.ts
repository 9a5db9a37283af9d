import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documents, type Transaction, toPlace, transactions } from '../contract/documents.ts';
import { APIS } from '../contract/openapi.ts';
import { findProvocation } from '../contract/operations.ts';
import { findRules } from '../contract/rules.ts';
import type { Call, Caller } from '../http/caller.ts';
import { type Answer, type Exchange, toReceived, toSentSize } from '../http/exchange.ts';
import { Throttled } from '../http/health.ts';
import { judgeGateway } from '../judge/judge-gateway.ts';
import { judgeStorage } from '../judge/judge-storage.ts';
import { fromContractAnswer } from '../respect/translate.ts';
import type { Result, Verdict } from '../result.ts';
import { createRunCaller, type Run } from '../trial/run.ts';
import { toAnswer, toEvidence } from '../trial/to-evidence.ts';
import { type DreddKey, drive } from './drive.ts';
import { prepareRequest } from './prepare-request.ts';

/** A server on loopback that makes prepared calls for Dredd, as all others of the run are made. */
interface Relay {
  /** Prepares a call; a request to the returned URL makes it, once. */
  prepare(call: Call, onEnd: (ending: Exchange | Error) => void): string;
  close(): Promise<void>;
}

/** Hop-by-hop headers, and the length, belong to the connection of the real call. */
const OWN = /^(connection|keep-alive|transfer-encoding|content-length)$/i;

/**
 * Lets Dredd drive the documented answers of the contract. Each that it can drive gets exactly one
 * result; what Dredd should have driven and did not is an error.
 */
export async function runTransactions(run: Run, onResult: (result: Result) => void): Promise<void> {
  const open = new Set<Transaction>();
  for (const transaction of transactions) {
    if (!isDriven(transaction, run.settings.preferCode)) continue;
    const ending = whyNotDriven(run, transaction);
    if (ending) onResult({ ...toResult(transaction), ...ending });
    else open.add(transaction);
  }
  if (open.size === 0) return;
  const relay = await startRelay(createRunCaller(run));
  let fault = new Error('fault of the suite: Dredd made no call of it');
  try {
    await driveAll(run, relay, open, onResult);
  } catch (error) {
    fault = new Error(`fault of the suite: ${(error as Error).message}`);
  } finally {
    await relay.close();
  }
  for (const transaction of open) onResult({ ...toResult(transaction), ...toEnding(run, fault) });
}

async function startRelay(caller: Caller): Promise<Relay> {
  const prepared = new Map<string, { call: Call; onEnd: (ending: Exchange | Error) => void }>();
  const server = createServer(async (request, response) => {
    request.resume();
    const id = (request.url ?? '').slice(1);
    const { call, onEnd } = prepared.get(id) ?? {};
    prepared.delete(id);
    if (call === undefined) return void response.writeHead(404).end();
    let ending: Exchange | Error;
    try {
      ending = await caller.call(call);
    } catch (error) {
      ending = error as Error;
    }
    onEnd?.(ending);
    if (ending instanceof Error) return void response.destroy();
    const { status, headers, body } = ending.received;
    const kept = headers.filter(([name]) => !OWN.test(name));
    try {
      response.writeHead(status, kept.flat()).end(body);
    } catch {
      // No answer that Dredd could be told of; what it is worth is judged without Dredd.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    prepare(call, onEnd) {
      const id = randomUUID();
      prepared.set(id, { call, onEnd });
      return `http://127.0.0.1:${port}/${id}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Operations whose calls change files. */
const CHANGES = ['batchDelete', 'batchCopyFile'];

/**
 * Whether Dredd can drive a documented answer at all. What it cannot drive is left to the checks of
 * single rules, and is no result of Dredd's.
 */
export function isDriven(transaction: Transaction, preferCode: boolean): boolean {
  const { api, operationId, status, contentType } = transaction;
  const isLeftOut = documents[api].copy['x-berth-left-out'].some(
    (entry) =>
      entry.operationId === operationId &&
      entry.status === status &&
      entry.contentType === contentType &&
      entry.example === undefined,
  );
  if (isLeftOut) return false;
  // The fixture service takes orders below its root only.
  if (operationId.endsWith('-root') && contentType === 'text/plain') return false;
  return findProvocation(transaction)?.kind !== 'none' || preferCode;
}

/** Why a documented answer is not driven in this run; `undefined` where it is. */
export function whyNotDriven(
  run: Run,
  transaction: Transaction,
): Pick<Result, 'outcome' | 'reason'> | undefined {
  const { settings, signal, signers, fixture } = run;
  const disabled = (reason: string) => ({ outcome: 'disabled' as const, reason });
  if (signal.aborted) return { outcome: 'skip', reason: String(signal.reason) };
  if (settings.only.length > 0 && !settings.only.includes('dredd'))
    return disabled('not in --only');
  if (settings.skip.includes('dredd')) return disabled('--skip');
  const { api } = transaction;
  if (!settings.apis.includes(api)) return disabled(`no --${api}-url`);
  const reason = run.refused[api]?.reason;
  if (reason !== undefined) return { outcome: 'skip', reason };
  if (api === 'storage') {
    if (!signers.storage) return disabled('no --storage-header, --tc3-secret-id or --auth-module');
    const isRefused = transaction.status !== '200';
    const changes = CHANGES.includes(transaction.operationId) && !isRefused;
    return settings.readOnly && changes ? disabled('--read-only') : undefined;
  }
  const { kind } = findProvocation(transaction) ?? {};
  if (kind === 'forbidden-service') {
    return settings.forbiddenService ? undefined : disabled('no --forbidden-service');
  }
  return kind === undefined && fixture !== true ? { outcome: 'skip', reason: fixture } : undefined;
}

/**
 * What a call may take beyond its timeout, in milliseconds, because the target wants to be called later.
 * The relay makes the calls and ends each in time; this only ends a Dredd that hangs.
 */
const LONGEST_PAUSE = 240_000;

/** What becomes of a transaction that got no answer. */
function toEnding({ signal }: Run, fault: Error): Pick<Result, 'outcome' | 'reason'> {
  if (signal.aborted) return { outcome: 'skip', reason: String(signal.reason) };
  return { outcome: fault instanceof Throttled ? 'skip' : 'error', reason: fault.message };
}

async function driveAll(
  run: Run,
  relay: Relay,
  open: Set<Transaction>,
  onResult: (result: Result) => void,
): Promise<void> {
  const endings = new Map<Transaction, Exchange | Error>();
  const accepted = { gateway: run.gatewayScheme !== undefined, storage: false };
  let fileId: string | undefined;

  const finish = (key: DreddKey, reason?: string) => {
    const transaction = findTransaction(open, key);
    if (transaction === undefined) return;
    open.delete(transaction);
    const ending = endings.get(transaction);
    if (ending === undefined || ending instanceof Error) {
      const why = ending ?? new Error(reason ?? 'no answer');
      onResult({ ...toResult(transaction), ...toEnding(run, why), requests: 1 });
      return;
    }
    const seen = { ...ending.received, body: fromContractAnswer(run, ending) };
    const answer = toAnswer(toReceived(seen.status, seen.headers, seen.body));
    fileId ??= readFileId(seen.body);
    const verdict = judge(transaction, answer, accepted[transaction.api]);
    accepted[transaction.api] ||= seen.status < 300;
    onResult(toJudged(transaction, verdict, ending));
  };

  await drive({
    documents: APIS.map((api) => JSON.stringify(documents[api].copy)),
    timeout: run.settings.timeout * 2 + LONGEST_PAUSE,
    signal: run.signal,
    async prepare(key, drafted) {
      const transaction = findTransaction(open, key);
      if (transaction === undefined) return undefined;
      const call = await prepareRequest(transaction, drafted, run, fileId);
      const url = relay.prepare(call, (ending) => endings.set(transaction, ending));
      return { method: 'POST', url, headers: {}, body: '' };
    },
    onAnswer: (key) => finish(key),
    onError: finish,
  });
}

function toJudged(transaction: Transaction, verdict: Verdict, exchange: Exchange): Result {
  const { outcome, reason, findings } = verdict;
  const evidence = toEvidence(exchange);
  return {
    ...toResult(transaction),
    outcome,
    ...(reason === undefined ? {} : { reason }),
    rules: [...new Set(findings.flatMap(({ where }) => findRules(where)))],
    findings: findings.map((finding) => ({ ...finding, ...evidence })),
    requests: 1,
    bytes: toSentSize(exchange.sent),
    assertions: Math.max(1, findings.length),
  };
}

function toResult(transaction: Transaction): Result {
  const { name, operationId, status, contentType } = toPlace(transaction);
  const document = documents[transaction.api].name;
  const what = [status, contentType].filter(Boolean).join(' ');
  return {
    ...{ engine: 'dredd', id: name, level: 'must' },
    statement: `The answer of ${operationId} is what ${document} documents for ${what}.`,
    ...{ rules: [], operations: [operationId], outcome: 'error', findings: [], notes: [] },
    ...{ requests: 0, bytes: 0, assertions: 0, durationMs: 0 },
  };
}

function readFileId(body: Buffer): string | undefined {
  const { json } = toReceived(200, [], body);
  const fileID = Object(Object(Object(json).body).data).fileID;
  return typeof fileID === 'string' ? fileID : undefined;
}

function findTransaction(open: Set<Transaction>, key: DreddKey): Transaction | undefined {
  return [...open].find(
    ({ api, operationId, status, contentType = '' }) =>
      documents[api].copy.info.title === key.title &&
      operationId === key.operationId &&
      contentType === key.contentType &&
      (findProvocation({ api, status })?.copyStatus ?? status) === key.copyStatus,
  );
}

/**
 * Judges a real answer by the full OpenAPI 3.1 document, not by the copy that Dredd reads.
 *
 * @param accepted whether the target has accepted the credentials of an earlier call
 */
function judge(transaction: Transaction, answer: Answer, accepted: boolean): Verdict {
  const judgeApi = transaction.api === 'gateway' ? judgeGateway : judgeStorage;
  return judgeApi(transaction, answer, accepted);
}
