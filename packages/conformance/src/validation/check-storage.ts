import { documents, type Transaction } from '../contract/documents.ts';
import type { Received } from '../http/exchange.ts';
import type { Finding, Verdict } from '../result.ts';

import { checkResponse, refusedCredentials, toDocumented } from './check-response.ts';

/**
 * Checks a response from the storage API strictly. Every response must have the envelope. A valid call must
 * succeed, and a call without a required field must be rejected (D30).
 */
export function checkStorage(
  transaction: Transaction,
  response: Received,
  accepted: boolean,
): Verdict {
  const findings = checkResponse(transaction, response);
  if (findings.length === 0) {
    const refused = refusedCredentials(transaction, response, accepted);
    if (refused) return refused;
  }
  findings.push(
    ...(CHECKS[transaction.status]?.(transaction, response) ?? []),
    ...checkStatusCode(transaction, response),
  );
  return { outcome: findings.length > 0 ? 'fail' : 'pass', findings };
}

const CHECKS: Record<string, (transaction: Transaction, response: Received) => Finding[]> = {
  '200': succeeded,
  '4XX': wasRefused,
  default: failed,
};

/** 'A `code` without `data` is a failure' (D20). */
function succeeded(transaction: Transaction, response: Received): Finding[] {
  const where = `${documents[transaction.api].name} ${transaction.pointer}`;
  if (toDocumented(transaction, response.status) !== 200) {
    return [{ message: `the status must be 200, not ${response.status}`, where }];
  }
  const { statusCode, body } = readEnvelope(response);
  if (body !== undefined && body.data === undefined) {
    return [
      {
        message: `body.data is missing from a successful response; body.code is ${body.code}`,
        where,
      },
    ];
  }
  if (typeof statusCode === 'number' && statusCode !== 200) {
    return [
      { message: `statusCode must be 200 in a successful response, not ${statusCode}`, where },
    ];
  }
  return [];
}

/** 'A missing field is refused, never 5xx': non-2xx, or a `code` without `data` (D30). */
function wasRefused(transaction: Transaction, response: Received): Finding[] {
  const where = `${documents[transaction.api].name} ${transaction.pointer}`;
  const { body } = readEnvelope(response);
  const came = body?.data === undefined ? '' : ' with data';
  if (came === '' && response.status >= 400 && response.status < 500) return [];
  if (came === '' && response.status < 300 && body?.code !== undefined) return [];
  const message = `a call without its required fields must be rejected, but the response was ${response.status}${came}`;
  return [{ message, where }];
}

/** Any other failure is a server error: 5xx. */
function failed(transaction: Transaction, response: Received): Finding[] {
  if (response.status >= 500) return [];
  const where = `${documents[transaction.api].name} ${transaction.pointer}`;
  return [{ message: `the status of a server error must be 5xx, not ${response.status}`, where }];
}

/** 'For copy `statusCode` equals the HTTP status' (D20). */
function checkStatusCode(
  { api, operationId, pointer }: Transaction,
  response: Received,
): Finding[] {
  const { statusCode } = readEnvelope(response);
  if (operationId !== 'batchCopyFile' || typeof statusCode !== 'number') return [];
  if (statusCode === response.status) return [];
  const message = `statusCode must equal the HTTP status ${response.status} of a copy response, but was ${statusCode}`;
  return [{ message, where: `${documents[api].name} ${pointer}` }];
}

interface Envelope {
  statusCode?: unknown;
  body?: { code?: unknown; data?: unknown };
}

function readEnvelope(response: Received): Envelope {
  const parsed = response.json as Envelope | null | undefined;
  return typeof parsed?.body === 'object' && parsed.body !== null ? parsed : {};
}
