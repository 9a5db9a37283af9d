import { isBerthError } from './errors.ts';
import { type CallBudget, pause } from './limits.ts';

/**
 * Which calls may be retried: `any` (it was not executed), `idempotent` ones, none (`never`), or any once its credentials
 * are renewed (`renew`).
 */
export type Retry = 'renew' | 'any' | 'idempotent' | 'never';

/** Returns which calls may be sent again after a status, if there is no known code. */
export function toRetry(status: number): Retry {
  if (status === 429) return 'any';
  return [500, 502, 503, 504].includes(status) ? 'idempotent' : 'never';
}

const MAX_RETRY_DELAY = 8_000;
const MAX_RETRY_AFTER = 30_000;

/** Waits for the next attempt, or throws the error if it is not temporary or there is no other attempt. */
export async function waitForRetry(error: unknown, budget: CallBudget, headers?: Headers) {
  const canRetry = budget.canRepeat && isBerthError(error) && error.retryable;
  const delay = canRetry ? takeRetry(budget, headers) : undefined;
  if (delay === undefined) throw error;
  await pause(delay, budget.signal);
}

/** Counts a retry, and returns the milliseconds until it, with full jitter, or `undefined` if there is none. */
export function takeRetry(budget: CallBudget, headers?: Headers): number | undefined {
  const { attempts, delay, end, retries } = budget;
  if (retries + 1 >= attempts) return undefined;
  const minimum = toMilliseconds(headers?.get('Retry-After') ?? '0', headers?.get('Date') ?? '');
  const random = Math.random() * Math.min(MAX_RETRY_DELAY, delay * 2 ** retries);
  const wait = Math.max(random, minimum);
  if (minimum > MAX_RETRY_AFTER || wait >= end - performance.now()) return undefined;
  budget.retries += 1;
  return wait;
}

/** Reads `Retry-After`: seconds, or a date by the clock of the server (RFC 9110, section 10.2.3). */
function toMilliseconds(value: string, date: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Date.parse(value) - (Date.parse(date) || Date.now()) || 0;
}
