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
  return (request as CallerRequest).record;
}

type CodedError = Error & { readonly code: string };

/** How a call ends: see the table in `observe/calls.ts`. */
type Outcome =
  | { readonly kind: 'responded' | 'aborted'; readonly error?: CodedError | undefined }
  | { readonly kind: 'refused'; readonly error: GatewayError };

/** What the log and the metrics report about a call. Each field is set by the code that knows it. */
export class CallRecord {
  readonly startedAt = performance.now();
  // Set when the call begins. The target is in origin form, before a mount strips its prefix.
  surface!: Surface;
  target!: string;
  /** Set when a grant was valid: the environment, which the path of an upload lacks. */
  grantedEnv: string | undefined;
  /** Set when a router responds: the operation and the caller. */
  call: Call | undefined;
  /** Undefined until there is a response. */
  outcome: Outcome | undefined;
}
