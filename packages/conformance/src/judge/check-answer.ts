import { documents } from '../contract/documents.ts';
import { findByContentType, findByStatus } from '../contract/find-documented.ts';
import { type Answer, readHeader } from '../http-messages.ts';
import type { Finding } from '../result.ts';
import { type Transaction, transactions } from '../transaction.ts';
import { checkBody } from './check-body.ts';
import { checkHeaders } from './check-headers.ts';

/**
 * Checks an answer against what the contract documents for its status: media type, body and
 * required headers. Whether that status was wanted is for the caller to say.
 */
export function checkAnswer(transaction: Transaction, answer: Answer): Finding[] {
  const candidates = listByStatus(transaction, answer.status);
  const [first] = candidates;
  const { name } = documents[transaction.api];
  if (first === undefined) {
    return [{ message: `the status ${answer.status} is not documented`, where: name }];
  }
  const contentType = readHeader(answer, 'content-type');
  const documented = findByContentType(candidates, contentType) as Transaction | undefined;
  if (documented) return [...checkHeaders(documented, answer), ...checkBody(documented, answer)];
  const wanted = candidates.map((entry) => entry.contentType ?? 'no content').join(' or ');
  return [
    ...checkHeaders(first, answer),
    {
      message: `the content type must be ${wanted}, not ${contentType ?? 'absent'}`,
      where: `${name} ${first.pointer}/content`,
    },
  ];
}

/** The documented answers of the same operation for a status. */
export function listByStatus(transaction: Transaction, status: number): Transaction[] {
  const ofOperation = transactions.filter(
    ({ api, operationId }) => api === transaction.api && operationId === transaction.operationId,
  );
  return findByStatus(ofOperation, toDocumented(transaction, status)) as Transaction[];
}

/** 'Elsewhere equality is ours' (D20): a storage call may succeed with any 2xx, except for a copy. */
export function toDocumented(
  { api, operationId }: Pick<Transaction, 'api' | 'operationId'>,
  status: number,
): number {
  const isFree = api === 'storage' && operationId !== 'batchCopyFile';
  return isFree && status >= 200 && status < 300 ? 200 : status;
}
