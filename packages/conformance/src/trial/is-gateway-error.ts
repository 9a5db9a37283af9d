import type { Received } from '../http/exchange.ts';

/**
 * Whether an answer is an error of the gateway itself and not one of the hosted service: its body has
 * `code`, `message` and `requestId`, the last equal to `X-Request-Id` (D10).
 */
export function isGatewayError(received: Received): boolean {
  if (received.status < 400) return false;
  const { code, message, requestId } = Object(received.json);
  return (
    code !== undefined && message !== undefined && requestId === received.header('x-request-id')
  );
}
