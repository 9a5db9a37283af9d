import type { Received } from '../http/exchange.ts';

/** Whether a response is the gateway's own error: with `requestId` in the body equal to `X-Request-Id` (D10). */
export function isGatewayError({ status, json, header }: Received): boolean {
  const id = header('x-request-id');
  if (status < 400 || id === undefined) return false;
  const { code, message, requestId } = Object(json);
  return code !== undefined && message !== undefined && requestId === id;
}

/** Returns the code in a body; `undefined` if it is not a text. */
export function codeOf({ json }: Received): string | undefined {
  const { code } = Object(json);
  return typeof code === 'string' ? code : undefined;
}

/** Whether a body looks like the gateway's error: an object with `code`, `message` or `requestId`. */
export function hasErrorBody({ json }: Received): boolean {
  const { code, message, requestId } = Object(json);
  return [code, message, requestId].some((value) => value !== undefined);
}
