import { documents } from './contract/documents.ts';
import { findProvocation } from './provocations.ts';
import type { Transaction } from './transaction.ts';
import type { Verdict } from './verdict.ts';

/** The verdict on a transaction that no call was made for; without a known reason it is an error. */
export function whyNotCalled(transaction: Transaction, gaveUp: boolean): Verdict {
  const reason = findLeftOut(transaction) ?? findProvocation(transaction)?.reason;
  if (reason) return { outcome: 'skip', required: false, reason, findings: [] };
  return {
    outcome: 'error',
    reason: gaveUp ? 'not tried, for the target had stopped to answer' : 'Dredd made no call of it',
    findings: [],
  };
}

function findLeftOut(transaction: Transaction): string | undefined {
  return documents[transaction.api].copy['x-berth-left-out'].find(
    ({ operationId, status, contentType, example }) =>
      operationId === transaction.operationId &&
      status === transaction.status &&
      contentType === transaction.contentType &&
      example === undefined,
  )?.reason;
}
