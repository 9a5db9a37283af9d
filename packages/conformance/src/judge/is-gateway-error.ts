import { type Answer, readHeader } from '../http-messages.ts';
import { parse } from './check-body.ts';

/**
 * Whether an answer is the gateway's own error, and not one of the hosted service: its body has
 * `code`, `message` and `requestId`, the last equal to `X-Request-Id` (D10).
 */
export function isGatewayError(answer: Answer): boolean {
  const body = parse(answer.body) as Record<string, unknown> | null | undefined;
  if (answer.status < 400 || typeof body !== 'object' || body === null) return false;
  const { code, message, requestId } = body;
  return (
    code !== undefined &&
    message !== undefined &&
    typeof requestId === 'string' &&
    requestId === readHeader(answer, 'x-request-id')
  );
}
