import type { RetryOptions } from '../../call-options.ts';

/**
 * Milliseconds until the next try: a random part of a span that doubles each time ("full jitter"),
 * but no less than the `Retry-After` of the answer, in seconds or as a date (RFC 9110, section
 * 10.2.3). Gives `undefined` where the server asks for more than is allowed.
 */
export function retryDelay(
  { baseDelay = 250, maxDelay = 8_000, maxRetryAfter = 30_000 }: RetryOptions,
  attempt: number,
  headers: Headers | undefined,
): number | undefined {
  const jitter = Math.random() * Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));
  const asked = toMilliseconds(headers);
  return asked > maxRetryAfter ? undefined : Math.max(jitter, asked);
}

function toMilliseconds(headers: Headers | undefined): number {
  const value = headers?.get('Retry-After');
  if (!value) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // A date is of the server's clock, and so is what it is counted from.
  const from = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - from || 0;
}
