import { storageErrors } from '../contract/defaults.ts';
import { retryAfter } from '../contract/retry-after.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../refusal.ts';

/** D26: the codes are "always in the envelope"; its `statusCode` equals the status (D20). */
export function toStorageError({ code, message, status, headers }: Refusal, call: Call): Answer {
  const row = storageErrors.get(code);
  const statusCode = status ?? row.status;
  const body = { requestId: call.requestId, code, message: message || row.message };
  return json(statusCode, { statusCode, body }, { ...retryAfter(row), ...headers });
}
