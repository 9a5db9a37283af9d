import { IncomingMessage } from 'node:http';
import type { Call, GatewayError } from '@berth/server-stubs';

/** A request with the record of its call. A `WeakMap` would take a microsecond or two for each call. */
export class CallerRequest extends IncomingMessage {
  readonly record = new CallRecord();
}

/** @param request one that this server has received: routers and the storage engine pass it on as they got it */
export function recordOf(request: object): CallRecord {
  return (request as CallerRequest).record;
}

/** What the log and the metrics report about a call. Whoever learns something about it sets the field. */
class CallRecord {
  readonly startedAt = performance.now();
  /** As the call begins: the surface, and the target in origin form, before a mount strips its prefix. */
  surface = '';
  target = '';
  /** With a valid grant: the environment, which the path of an upload lacks. */
  grantedEnv: string | undefined;
  /** As a router responds: the operation and the caller. */
  call: Call | undefined;
  /** As a router or the listener for links rejects the call. */
  error: (Error & { readonly code: string }) | undefined;
  /** As the connection responds instead, because the body is late or invalid. */
  refusal: GatewayError | undefined;
  /** As this server closes the connection: it was not the caller who disconnected. */
  isAborted = false;
  /** While an upgrade waits for its response. */
  isPendingUpgrade = false;
}
