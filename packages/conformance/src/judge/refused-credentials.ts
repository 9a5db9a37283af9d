import type { Transaction } from '../contract/documents.ts';
import type { Answer } from '../http/exchange.ts';
import type { Verdict } from '../result.ts';

const OPTION = { gateway: '--gateway-token', storage: '--storage-header' } as const;

/** Documented statuses that a bad request is to bring about. */
const REFUSALS = ['4XX', 'default'];

/**
 * A skip where the target says that the credentials are missing or wrong: then nothing was learnt about
 * the answer that was wanted. `undefined` for any other answer, and for a bad request once the
 * credentials have been accepted: there any 4xx is the refusal that was wanted.
 *
 * 401 and 403 say so. As long as no call has gone through, another 4xx than the wanted one may mean the
 * same, since the contract fixes no status for it (D15).
 *
 * @param accepted whether an earlier call went through
 */
export function refusedCredentials(
  { api, status }: Pick<Transaction, 'api' | 'status'>,
  answer: Answer,
  accepted: boolean,
): Verdict | undefined {
  const isWanted = String(answer.status) === status;
  const mayMeanSo = status === '404' && !accepted && answer.status >= 400 && answer.status < 500;
  if (isWanted || !(answer.status === 401 || answer.status === 403 || mayMeanSo)) return undefined;
  if (accepted && REFUSALS.includes(status)) return undefined;
  return {
    outcome: 'skip',
    required: true,
    refused: true,
    reason: `the target refused the credentials with ${answer.status}; see ${OPTION[api]}`,
    findings: [],
  };
}
