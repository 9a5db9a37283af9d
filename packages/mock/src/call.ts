import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '@berth/server-stubs/contract';
import type { Call, HandlerResponse } from '@berth/server-stubs/runtime';
import type { MockRequest } from './messages.ts';
import type { Session } from './sessions/session.ts';
import type { CallTarget, SurfaceName } from './surface.ts';

/**
 * A call: what it is for, its session, and what the log shows. `app.ts` creates and completes it; handlers look it up
 * with `callOf(request)`.
 */
export class MockCall implements CallTarget {
  readonly session: Session;
  readonly id = randomUUID();
  readonly at = Date.now();
  readonly method: string;
  readonly target: string;
  readonly surface: SurfaceName;
  /** The service of a document sets it to the operation that responds. */
  operationId: string | undefined;
  readonly service: string | undefined;
  /** Names of the faults with an effect. Set by `countFault`. */
  readonly faults: string[] = [];
  /** Set by `respond`. */
  status: number | undefined;
  /** Set by `setReason`. */
  reason: string | undefined;
  /** Set by `end`. */
  ms: number | undefined;
  /** Joined, since a long array of short strings takes ten times the memory. */
  readonly #headers: string;
  readonly #start = performance.now();
  readonly #body: MockRequest['bodyCopy'] | undefined;

  constructor(session: Session, matched: CallTarget, request: IncomingMessage) {
    this.session = session;
    this.surface = matched.surface;
    this.operationId = matched.operationId;
    this.service = matched.service;
    this.method = request.method ?? 'GET';
    this.target = request.url ?? '/';
    this.#headers = request.rawHeaders.join('\n');
    // The form of an upload contains a grant.
    if (this.surface !== 'upload') this.#body = (request as MockRequest).bodyCopy;
  }

  get headers(): [name: string, value: string][] {
    const pairs = this.#headers.matchAll(/(.+)\n(.*)/g);
    return Array.from(pairs, ([, name = '', value = '']) => [name, value]);
  }

  get body(): string | undefined {
    return this.#body?.text;
  }

  get hasEnded(): boolean {
    return this.ms !== undefined;
  }

  /** @param reason why the call is rejected. The first one wins */
  setReason(reason: string): void {
    // It may quote what the caller has sent. A slice alone would keep all of the text in memory.
    this.reason ??= Buffer.from(reason.slice(0, MAX_REASON)).toString();
  }

  /** Called just before a response is sent. Nothing is sent after the call has ended. */
  respond(status: number, error?: unknown): void {
    if (error instanceof Error) {
      const { cause, message } = error;
      // Other errors get a code and a message of the contract.
      const isInvalid = cause instanceof HttpError && cause.violations.length > 0;
      this.setReason('code' in error && !isInvalid ? `${error.code}: ${message}` : message);
    }
    if (!this.hasEnded) this.status = status;
  }

  /** @param response undefined for an upgrade */
  end(response: ServerResponse | undefined): void {
    if (response?.headersSent) this.respond(response.statusCode);
    this.ms = performance.now() - this.#start;
  }
}

export const MAX_REASON = 1_000;

/** Routers, handlers and credential checks only get the request. */
const calls = new WeakMap<IncomingMessage, MockCall>();

export function beginCall(request: IncomingMessage, call: MockCall): void {
  calls.set(request, call);
}

/** Returns undefined if the call has not begun. */
export function findCall(request: IncomingMessage): MockCall | undefined {
  return calls.get(request);
}

/** @throws TypeError if the call has not begun */
export function callOf(request: IncomingMessage): MockCall {
  const call = findCall(request);
  if (call === undefined) throw new TypeError('The call has not begun.');
  return call;
}

/** Hooks that all routers share: they set the request ID, and record the status and the reason of a call. */
export const ROUTER_HOOKS = {
  requestId: (request: IncomingMessage) => callOf(request).id,
  onError(error: unknown, { request }: Call) {
    // An aborted request is not a bug in the mock.
    if (request.complete) process.emitWarning(error as Error);
  },
  onResponse({ status }: HandlerResponse, { request }: Pick<Call, 'request'>, error?: unknown) {
    callOf(request).respond(status, error);
  },
};
