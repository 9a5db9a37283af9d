import type { RetryOptions } from '../../call-options.ts';

/**
 * Milliseconds until the next try: a random part of a span that doubles each time ("full jitter"),
 * but no less than the `Retry-After` of the answer, in seconds or as a date (RFC 9110, section
 * 10.2.3). Gives `undefined` where there is no further try: they are used up, the server asks for more
 * than is allowed, or less is left.
 *
 * @param attempt number of the try that failed, from 1
 * @param left milliseconds until the call ends
 */
export function retryDelay(
  retry: RetryOptions | false,
  attempt: number,
  headers?: Pick<Headers, 'get'>,
  left = Number.POSITIVE_INFINITY,
): number | undefined {
  if (!retry) return undefined;
  const { attempts = 3, baseDelay = 250, maxDelay = 8_000, maxRetryAfter = 30_000 } = retry;
  const asked = toMilliseconds(headers);
  if (attempt >= attempts || asked > maxRetryAfter) return undefined;
  const span = Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));
  const delay = Math.max(Math.random() * span, asked);
  return delay < left ? delay : undefined;
}

function toMilliseconds(headers: Pick<Headers, 'get'> | undefined): number {
  const value = headers?.get('Retry-After');
  if (!value) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // A date is of the server's clock, and so is what it is counted from.
  const from = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - from || 0;
}
