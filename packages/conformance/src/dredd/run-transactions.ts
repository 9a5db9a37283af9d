import { findRules } from '../checks/find-rules.ts';
import { APIS } from '../contract/apis.ts';
import { documents } from '../contract/documents.ts';
import { type Exchange, toReceived } from '../http/exchange.ts';
import { Throttled } from '../http/throttled.ts';
import { toSentSize } from '../http/to-sent-size.ts';
import { judge } from '../judge/judge.ts';
import { findProvocation } from '../provocations.ts';
import { prepareRequest } from '../requests/prepare-request.ts';
import { fromContractAnswer } from '../respect/translate.ts';
import type { Result } from '../result.ts';
import { createRunCaller } from '../run/create-run-caller.ts';
import type { Run } from '../run/run.ts';
import { type Transaction, toPlace, transactions } from '../transaction.ts';
import { toAnswer, toEvidence } from '../trial/to-evidence.ts';
import type { Verdict } from '../verdict.ts';
import { drive } from './drive.ts';
import type { DreddKey } from './protocol.ts';
import { type Relay, startRelay } from './start-relay.ts';
import { isDriven, whyNotDriven } from './why-not-driven.ts';

/**
 * What a call may take beyond its timeout, in milliseconds, because the target wants to be called later.
 * The relay makes the calls and ends each in time; this only ends a Dredd that hangs.
 */
const LONGEST_PAUSE = 240_000;

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
