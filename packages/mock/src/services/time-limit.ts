import { GatewayError, LIMITS } from '@berth/server-stubs/contract';

/** D13: waits for the response headers of a service. Also rejects if the call is aborted. */
export function awaitService<Value>(
  pending: Promise<Value>,
  signal: AbortSignal,
  onTimeout = () => {},
): Promise<Value> {
  const toError = () => {
    onTimeout();
    return new GatewayError('SERVICE_TIMEOUT');
  };
  return within(LIMITS.gatewayHeadersSeconds, pending, toError, signal);
}

/** Rejects if a promise takes longer than some seconds, or if its call is aborted. */
export async function within<Value>(
  seconds: number,
  pending: Promise<Value>,
  toError: () => Error,
  signal?: AbortSignal,
): Promise<Value> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(toError()), seconds * 1_000);
  signal?.addEventListener('abort', () => limit.reject(signal.reason));
  try {
    return await Promise.race([pending, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
