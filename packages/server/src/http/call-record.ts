import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Call } from '@berth/server-stubs';
import type { CORS } from '@berth/server-stubs/contract';
import { FILES_PATH, UPLOAD_PATH } from '@berth/storage';

/*
 * The states of a call. The status is that of the response that the caller gets, or 0 if there is none.
 *
 * | State     | Begins when                                                         | Log message                 | Metric     |
 * | --------- | ------------------------------------------------------------------- | --------------------------- | ---------- |
 * | received  | Node has parsed the request, which the connection may still refuse  |                             |            |
 * | active    | it is passed to a router                                            | see below                   | see below  |
 * | responded | the router responds, or the listener for links with an error        | call; from 500, call failed | 1xx to 5xx |
 * | refused   | the connection refuses the request or its body                      | call                        | 4xx        |
 * | aborted   | this server, a service or the store cuts the response short         | aborted, or call failed     | aborted    |
 * | ended     | it has been logged and counted: its response or connection closed   |                             |            |
 *
 * A call that ends while it is active has a response without an error (a download), or its caller has disconnected
 * before the response: `caller disconnected`, counted as disconnected. If the caller disconnects later, nothing changes.
 */
type State = 'received' | 'active' | 'responded' | 'refused' | 'aborted' | 'ended';

/** What a request is for: a service, an operation on files, the form of an upload, or the file of a link. */
export type Surface = keyof typeof CORS.allowMethods;

export type CodedError = Error & { readonly code: string; readonly status: number };

/** What is known about a call: each layer records what it learns, and `observe/calls.ts` reports it at the end. */
export class CallRecord {
  readonly startedAt = performance.now();
  state: State = 'received';
  /** Why the call failed, if it did. */
  error: CodedError | undefined;
  surface: Surface = 'gateway';
  method: string | undefined;
  /** In origin form, before a mount strips its prefix. */
  target = '';
  /** Node has none for an upgrade: it is set once the router has responded. */
  response: ServerResponse | undefined;
  /** The environment of a valid grant, which the path of an upload lacks. */
  grantedEnv: string | undefined;
  /** The operation and the caller; undefined until a router has the call. */
  call: Call | undefined;
  /** ID of the response with which the connection refused the call. */
  refusalId: string | undefined;

  /** @param response undefined for an upgrade */
  begin({ method, url = '/' }: Partial<IncomingMessage>, response?: ServerResponse): void {
    this.state = 'active';
    this.method = method;
    this.response = response;
    this.target = toOriginForm(url);
    this.surface = surfaceOf(this.target);
  }

  /** The first outcome wins, but a response may still be aborted. */
  settle(outcome: 'responded' | 'refused' | 'aborted', error?: CodedError): void {
    const isAbort = this.state === 'responded' && outcome === 'aborted';
    if (this.state !== 'active' && !isAbort) return;
    this.state = outcome;
    this.error = error;
  }
}

/** A request with the record of its call. A `WeakMap` would take a microsecond or two for each call. */
export class CallerRequest extends IncomingMessage {
  readonly record = new CallRecord();
}

/** @param request one that this server has received: routers and the storage engine pass it on unchanged */
export function recordOf(request: object): CallRecord {
  if (request instanceof CallerRequest) return request.record;
  throw new TypeError('The request is not from this server.');
}

/** RFC 9112, section 3.2.2: "a server MUST accept the absolute-form in requests". */
function toOriginForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** The gateway also gets every path that belongs to no other surface. */
function surfaceOf(path: string): Surface {
  // Checked first because most calls go here.
  if (path.startsWith('/v1/')) return 'gateway';
  if (path.startsWith('/api/v2/')) return 'storage';
  const [, first] = /^(\/[^/?]*)/.exec(path) ?? [];
  if (first === UPLOAD_PATH) return 'upload';
  return first === FILES_PATH ? 'link' : 'gateway';
}
