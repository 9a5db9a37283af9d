import type { MockCall } from '../call.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Session } from '../sessions/session.ts';
import type { CallTarget } from '../surface.ts';
import { redactBody, redactHeaders, redactTarget } from './redact.ts';

/** A call in the log of its session. Credentials are replaced by `***`. */
export interface LoggedRequest extends Required<CallTarget> {
  /** The response's `X-Request-Id`. */
  readonly id: string;
  /** Time of the call, in ISO 8601. */
  readonly time: string;
  /** Empty for the default session. */
  readonly session: string;
  readonly method: string;
  readonly target: string;
  /** Names and values, as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The request body, if it is text of at most 16 KiB. Forms of uploads are not kept. */
  readonly body: string | undefined;
  /** Undefined until the response begins. */
  readonly status: number | undefined;
  /** Duration in milliseconds; undefined until the response is complete. */
  readonly ms: number | undefined;
  /** Why the call was rejected, such as `body.path must be a string, got a number.`: at most 1,000 characters. */
  readonly reason: string | undefined;
  /** Names of the faults that were injected. */
  readonly faults: readonly string[];
}

/** Headers and body have at most 16 KiB each and the reason is short, so all calls take at most about 100 MiB. */
const MAX_CALLS = 2_000;

/** The latest calls of all sessions, which are also printed. The oldest are dropped first. */
export class RequestLog {
  // A Set keeps insertion order.
  readonly #calls = new Set<MockCall>();
  readonly #toText: ((call: MockCall) => string) | undefined;
  #lines = '';

  constructor({ log }: ResolvedOptions) {
    if (log === 'text') this.#toText = toLine;
    if (log === 'json') this.#toText = (call) => JSON.stringify(toSummary(call));
  }

  add(call: MockCall): void {
    this.#calls.add(call);
    if (this.#calls.size <= MAX_CALLS) return;
    const [oldest] = this.#calls;
    this.#calls.delete(oldest as MockCall);
  }

  /** Prints a call that has ended. */
  print(call: MockCall): void {
    if (this.#toText === undefined) return;
    // Each write blocks and takes longer than a call, so the lines of one turn of the event loop are joined.
    if (this.#lines === '') {
      setImmediate(() => {
        process.stdout.write(this.#lines);
        this.#lines = '';
      });
    }
    this.#lines += `${this.#toText(call)}\n`;
  }

  /** Oldest first. */
  list(session: Session): MockCall[] {
    return [...this.#calls].filter((call) => call.session === session);
  }

  clear(session: Session): void {
    for (const call of this.list(session)) this.#calls.delete(call);
  }
}

export function toLoggedRequest(call: MockCall, { wireProfile }: ResolvedOptions): LoggedRequest {
  const headers = redactHeaders(call.headers, wireProfile);
  const body = call.body && redactBody(call.body);
  return { ...toSummary(call), headers, body };
}

function toSummary(call: MockCall): Omit<LoggedRequest, 'headers' | 'body'> {
  const { id, surface, operationId, service, method, status, ms, reason, faults } = call;
  return {
    id,
    time: new Date(call.at).toISOString(),
    session: call.session.id,
    surface,
    operationId,
    service,
    method,
    target: redactTarget(call.target),
    status,
    ms: ms === undefined ? undefined : Math.round(ms),
    reason,
    faults: [...faults],
  };
}

/** `POST /api/v2/envs/dev/storages:batchDelete 400 2 ms: body.fileList must be an array.` */
function toLine(call: MockCall): string {
  const { method, target, status = 'aborted', ms = 0, session, faults } = call;
  const parts = [method, redactTarget(target), status, Math.round(ms), 'ms'];
  if (session.id !== '') parts.push(`session=${session.id}`);
  if (faults.length > 0) parts.push(`faults=${faults.join(',')}`);
  const line = parts.join(' ') + (call.reason === undefined ? '' : `: ${call.reason}`);
  // A caller must not control the terminal.
  return line.replace(/\p{Cc}/gu, '?');
}
