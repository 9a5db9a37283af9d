import { APIS, type Api } from './contract/apis.ts';
import { documents } from './contract/documents.ts';
import { drive } from './dredd/drive.ts';
import type { DreddKey } from './dredd/protocol.ts';
import type { Answer, SentRequest } from './http-messages.ts';
import { judge } from './judge/judge.ts';
import { findProvocation } from './provocations.ts';
import { prepareRequest } from './requests/prepare-request.ts';
import { readFileId } from './requests/read-file-id.ts';
import type { RunContext } from './requests/run-context.ts';
import type { Result } from './result.ts';
import { type Transaction, toPlace, transactions } from './transaction.ts';
import type { Verdict } from './verdict.ts';
import { whyNotCalled } from './why-not-called.ts';

/** A target that gives no answer this often in a row is not asked again. */
const MOST_SILENT = 3;

/**
 * Checks every documented answer of the contract. Each gets exactly one result: what Dredd cannot
 * drive is a skip with its reason, and what Dredd should have driven and did not is an error.
 */
export async function runTransactions(
  context: RunContext,
  onResult: (result: Result) => void,
): Promise<void> {
  const open = new Set(transactions);
  const sent = new Map<Transaction, SentRequest>();
  const silent: Record<Api, number> = { gateway: 0, storage: 0 };
  const accepted: Record<Api, boolean> = { gateway: false, storage: false };

  const finish = (transaction: Transaction, verdict: Verdict, answer?: Answer) => {
    open.delete(transaction);
    const request = sent.get(transaction);
    const evidence = { ...(request ? { request } : {}), ...(answer ? { answer } : {}) };
    const { name, operationId } = toPlace(transaction);
    onResult({
      ...{ engine: 'dredd', id: name, level: 'must', statement: name, rules: [], notes: [] },
      ...{ operations: [operationId], outcome: verdict.outcome, durationMs: 0 },
      ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      findings: verdict.findings.map((finding) => ({ ...finding, ...evidence })),
      requests: request ? 1 : 0,
      assertions: verdict.findings.length || (verdict.outcome === 'pass' ? 1 : 0),
    });
  };

  await drive({
    documents: APIS.map((api) => JSON.stringify(documents[api].copy)),
    timeout: context.settings.timeout,
    prepare: (key, drafted) => {
      const transaction = findTransaction(open, key);
      if (silent[transaction.api] >= MOST_SILENT) return undefined;
      const request = prepareRequest(transaction, drafted, context);
      if (request) sent.set(transaction, request);
      return request;
    },
    onAnswer: (key, answer) => {
      const transaction = findTransaction(open, key);
      silent[transaction.api] = 0;
      context.fileId ??= readFileId(answer.body);
      finish(transaction, judge(transaction, answer, accepted[transaction.api]), answer);
      accepted[transaction.api] ||= answer.status < 300;
    },
    onError: (key, reason) => {
      const transaction = findTransaction(open, key);
      silent[transaction.api] += 1;
      finish(transaction, { outcome: 'error', reason, findings: [] });
    },
  });

  for (const transaction of [...open]) {
    finish(transaction, whyNotCalled(transaction, silent[transaction.api] >= MOST_SILENT));
  }
}

function findTransaction(open: Set<Transaction>, key: DreddKey): Transaction {
  const found = [...open].find(
    ({ api, operationId, status, contentType = '' }) =>
      documents[api].copy.info.title === key.title &&
      operationId === key.operationId &&
      contentType === key.contentType &&
      (findProvocation({ api, status })?.copyStatus ?? status) === key.copyStatus,
  );
  if (found) return found;
  throw new Error(`Dredd made an undocumented call: ${Object.values(key).join(' ')}`);
}
