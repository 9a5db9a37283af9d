import type { Answer } from '../http-messages.ts';
import type { Verdict } from '../result.ts';
import type { Transaction } from '../transaction.ts';

const OPTION = { gateway: '--gateway-token', storage: '--storage-header' } as const;

/**
 * A skip where the target says that the credentials are missing or wrong (401 or 403): then nothing
 * was learnt about the answer that was wanted. `undefined` for any other answer.
 */
export function refusedCredentials(
  { api }: Pick<Transaction, 'api'>,
  answer: Answer,
): Verdict | undefined {
  if (answer.status !== 401 && answer.status !== 403) return undefined;
  return {
    outcome: 'skip',
    required: true,
    refused: true,
    reason: `the target refused the credentials with ${answer.status}; see ${OPTION[api]}`,
    findings: [],
  };
}
