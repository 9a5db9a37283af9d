import type { Transaction } from '../contract/transactions.ts';
import type { Answer } from '../http/exchange.ts';
import type { Verdict } from '../result.ts';
import { judgeGateway } from './judge-gateway.ts';
import { judgeStorage } from './judge-storage.ts';

/**
 * Judges a real answer by the full OpenAPI 3.1 document, not by the copy that Dredd reads.
 *
 * @param accepted whether the target has accepted the credentials of an earlier call
 */
export function judge(transaction: Transaction, answer: Answer, accepted: boolean): Verdict {
  const judgeApi = transaction.api === 'gateway' ? judgeGateway : judgeStorage;
  return judgeApi(transaction, answer, accepted);
}
