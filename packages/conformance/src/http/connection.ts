import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { NotRunError, SkipError } from '../errors.ts';

export type Agents = ReturnType<typeof createAgents>;

/**
 * Creates the agents for a run. Unless `isOneConnection` is set, each call has its own connection: if the other side
 * closed a kept-alive connection at the wrong moment, nobody would be at fault, and a POST could not be retried
 * safely.
 */
export function createAgents({ ca }: { ca?: string | undefined }, isOneConnection = false) {
  const options = isOneConnection ? { keepAlive: true, maxSockets: 1 } : { keepAlive: false };
  return {
    http: new HttpAgent(options),
    https: new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }),
    isOneConnection,
  };
}

/** Returns the name that a certificate must have: the host in the URL, whatever the `Host` header contains. */
export function toServerName(hostname: string): string {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}

export class NetworkError extends NotRunError {
  /** Node's code, such as `ECONNRESET`, or `TIMEOUT`, `TOO_LARGE`, `SILENT`, `ENDED`. */
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export class ThrottledError extends SkipError {}

/** Whether a call has ended without a response that says something about the target. */
export const isNoResponse = (error: unknown): error is NetworkError | ThrottledError =>
  error instanceof NetworkError || error instanceof ThrottledError;

/** An AggregateError for several addresses has no message of its own, so its code is shown instead. */
export function toNetworkError(error: NodeJS.ErrnoException, what: string): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = error.code ?? 'UNKNOWN';
  return new NetworkError(`${what}: ${error.message || code}`, code, { cause: error });
}

const CLOSED: unknown[] = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

export const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CLOSED.includes(error.code);

/**
 * Calls back after a time limit; the result cancels that. On a suspended or starved machine, timers fire before data that
 * has already arrived is read, so one more turn of the event loop reads it.
 */
export function limitTime(milliseconds: number, onTimeout: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(onTimeout);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** Resolves to the value, or rejects with `late` if that takes longer than `milliseconds`. */
export async function within<Value>(
  milliseconds: number,
  value: Promise<Value>,
  late: Error,
): Promise<Value> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const cancel = limitTime(milliseconds, () => reject(late));
  return Promise.race([value, end]).finally(cancel);
}
