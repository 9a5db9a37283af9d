import type { Received } from '../http/exchange.ts';

/**
 * Returns whether a response is the gateway's error rather than a hosted service's: its body has `code`,
 * `message` and `requestId`, the last of which equals `X-Request-Id` (D10).
 */
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

/** Returns whether a body looks like the gateway's error: an object with `code`, `message` or `requestId`. */
export function hasErrorBody({ json }: Received): boolean {
  const { code, message, requestId } = Object(json);
  return [code, message, requestId].some((value) => value !== undefined);
}
