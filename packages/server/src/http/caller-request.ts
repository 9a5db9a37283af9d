import { IncomingMessage } from 'node:http';
import type { Call, GatewayError } from '@berth/server-stubs';
import type { CORS } from '@berth/server-stubs/contract';

/** What a request is for: a service, an operation on files, the form of an upload, or the file of a link. */
export type Surface = keyof typeof CORS.allowMethods;

/** A request with the record of its call. A `WeakMap` would take a microsecond or two for each call. */
export class CallerRequest extends IncomingMessage {
  readonly record = new CallRecord();
}

/** @param request one that this server has received: routers and the storage engine pass it on as they got it */
export function recordOf(request: object): CallRecord {
  if (request instanceof CallerRequest) return request.record;
  throw new TypeError('The request is not from this server.');
}

type CodedError = Error & { readonly code: string };

/** How a call ends: see the table in `observe/calls.ts`. */
type Outcome =
  | { readonly kind: 'responded' | 'aborted'; readonly error?: CodedError | undefined }
  | { readonly kind: 'refused'; readonly error: GatewayError; readonly requestId: string };

export type Refusal = Extract<Outcome, { readonly kind: 'refused' }>;

/** What the log and the metrics report about a call. */
export class CallRecord {
  readonly startedAt = performance.now();
  // Set by `begin`. The target is in origin form, before a mount strips its prefix.
  surface: Surface = 'gateway';
  target = '';
  /** Set when a grant was valid: the environment, which the path of an upload lacks. */
  grantedEnv: string | undefined;
  /** The operation and the caller. */
  call: Call | undefined;
  /** Set by `end`. */
  outcome: Outcome | undefined;

  begin(surface: Surface, target: string): void {
    this.surface = surface;
    this.target = target;
  }

  /** Keeps the first outcome. Only a response that has begun can still be aborted. */
  end(outcome: Outcome): void {
    if (this.outcome === undefined || this.outcome.kind === 'responded') this.outcome = outcome;
  }
}
