import { NetworkError } from '../../errors/network-error.ts';
import type { RememberedCall } from '../calls.ts';
import { pathOf } from '../calls.ts';
import { redact } from '../redact.ts';

/** The error of a call whose answer did not come, or broke off. */
export function networkFailure(
  { method, url, secrets }: Omit<RememberedCall, 'upstreamStatus'>,
  error: unknown,
  what = 'No answer came',
): NetworkError {
  const cause = toSafeCause(error, [...secrets(), url, url.replace(/^[^?]*/, '')]);
  return new NetworkError({ what, method, path: pathOf(url), text: deepest(cause), cause });
}

/** A copy of the platform's error: one platform puts the address, query included, into its fields. */
function toSafeCause(error: unknown, secrets: readonly string[]): Error {
  const { name, message, code, cause } = (
    error instanceof Error ? error : { message: String(error) }
  ) as Partial<Error> & { code?: unknown };
  const copy = new Error(
    redact(message ?? '', secrets),
    cause instanceof Error ? { cause: toSafeCause(cause, secrets) } : undefined,
  );
  if (name) copy.name = name;
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

/** `fetch failed` says nothing; what is behind it does. */
function deepest(error: Error): string {
  return error.cause instanceof Error ? deepest(error.cause) : error.message;
}
