import type { Received } from '../../http/exchange.ts';

/**
 * Whether an answer has a body that is meant as the gateway's error: an object with `code`, `message` or
 * `requestId`. That it has all three, as strings, is a matter of the rules about the error body.
 */
export function hasErrorBody({ json }: Received): boolean {
  const { code, message, requestId } = Object(json);
  return [code, message, requestId].some((value) => value !== undefined);
}
