import { gatewayErrors } from '../contract/defaults.ts';
import { retryAfter } from '../contract/retry-after.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../refusal.ts';

/** D6: "an error body has all three fields, strings." D9: "an error body's `requestId` equals" the header. */
export function toGatewayError(
  { code, message, status, headers }: Refusal,
  { requestId }: Pick<Call, 'requestId'>,
): Answer {
  const row = gatewayErrors.get(code);
  return json(
    status ?? row.status,
    { code, message: message || row.message, requestId },
    { ...retryAfter(row), ...headers },
  );
}
