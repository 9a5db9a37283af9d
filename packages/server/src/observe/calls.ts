import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Call, UploadError } from '@berth/server-stubs';
import type { CORS } from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import { FILES_PATH, UPLOAD_PATH } from '@berth/storage';
import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

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
 *
 * Besides this file, `gateway/proxy.ts` (a service cuts its response short) and `http/caller-connection.ts` (the connection
 * is closed) settle calls as `aborted`, and `application.ts` says which environment a grant is for.
 */
type State = 'received' | 'active' | 'responded' | 'refused' | 'aborted' | 'ended';

/** What a request is for: a service, an operation on files, the form of an upload, or the file of a link. */
export type Surface = keyof typeof CORS.allowMethods;

type CodedError = Error & { readonly code: string; readonly status: number };

/** What the log and the metrics report about a call. */
class CallRecord {
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

  begin({ method, url = '/' }: Partial<IncomingMessage>, response?: ServerResponse): void {
    this.state = 'active';
    this.method = method;
    this.response = response;
    this.target = toOriginForm(url);
    this.surface = surfaceOf(this.target);
  }

  grant(env: string): void {
    this.grantedEnv = env;
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
function findRecord(request: object): CallRecord {
  if (request instanceof CallerRequest) return request.record;
  throw new TypeError('The request is not from this server.');
}

/** Returns the record of a call, which other files change only by its methods. */
export const recordOf: (request: object) => Readonly<CallRecord> = findRecord;

/** Of all applications that a reload has replaced, and the current one. */
export interface InFlight {
  calls: number;
  /** The callers' sides of the open WebSockets. */
  readonly webSockets: Set<Duplex>;
}

/** Counts the calls, and logs those that failed, or all of them. */
export function createCalls(config: Config, log: Log, metrics: Metrics, inFlight: InFlight) {
  function finish(record: CallRecord): void {
    if (record.state === 'ended') return;
    // The store has destroyed the response with an error.
    if (record.response?.errored) record.settle('aborted');
    inFlight.calls -= 1;
    report(record);
  }

  function report(record: CallRecord): void {
    const { state, surface, method, target, response, startedAt, call, error, refusalId } = record;
    record.state = 'ended';
    const sent = response?.headersSent ? response.statusCode : 0;
    const status = state === 'refused' ? (error?.status ?? 0) : sent;
    const isAborted = state === 'aborted';
    const operation = call?.operationId ?? (surface === 'link' ? 'download' : '');
    const seconds = (performance.now() - startedAt) / 1000;
    const code = error?.code ?? '';
    const { env, service } = toLabels(record, config.environments);
    metrics.count({ surface, operation, env, service, status, isAborted, code, seconds });
    const isFailure = status >= 500 || (isAborted && error !== undefined);
    if (!config.log.calls && !isFailure) return;
    const ended = status > 0 ? 'responded' : 'disconnected';
    const entry = {
      ...identify(call, response),
      ...(refusalId !== undefined && { requestId: refusalId }),
      outcome: state === 'active' ? ended : state,
      surface,
      operation,
      method,
      // Without the query, which contains the signatures of links.
      path: target.split('?', 1)[0],
      status,
      ms: Math.round(seconds * 1e5) / 100,
      ...(error && { code, reason: error.message }),
      ...(isFailure && describeCause(error?.cause)),
    };
    if (isFailure) log.warn(entry, 'call failed');
    else if (isAborted) log.info(entry, 'aborted');
    else log.info(entry, status > 0 ? 'call' : 'caller disconnected');
  }

  return {
    /** @param response undefined for an upgrade, which ends with the 101 or a rejection, or with its connection */
    begin(request: IncomingMessage, response?: ServerResponse): Readonly<CallRecord> {
      const record = findRecord(request);
      record.begin(request, response);
      // The gateway handles every upgrade, whatever its path.
      if (response === undefined) record.surface = 'gateway';
      inFlight.calls += 1;
      (response ?? request.socket).on('close', () => finish(record));
      return record;
    },
    onCall(call: Call): void {
      findRecord(call.request).call = call;
    },
    onResponse(_response: HandlerResponse, { request, response }: Call, error?: unknown): void {
      const record = findRecord(request);
      record.settle('responded', error as UploadError | undefined);
      if (record.response !== undefined) return;
      record.response = response;
      finish(record);
    },
    onRejected(error: UploadError, { req }: ServerResponse): void {
      findRecord(req).settle('responded', error);
    },
    /** @param request undefined if it cannot be parsed */
    onRefused(error: CodedError, requestId: string, request?: IncomingMessage): void {
      const record = request === undefined ? new CallRecord() : findRecord(request);
      // A call whose body is refused is reported when its response is closed.
      const isNew = record.state === 'received';
      if (isNew) record.begin(request ?? { url: '' });
      record.refusalId = requestId;
      record.settle('refused', error);
      if (isNew) report(record);
    },
    /** For bugs, and for responses that were cut off. */
    onError(error: unknown, call: Call): void {
      const { operationId: operation, response } = call;
      log.error({ ...identify(call, response), operation, err: error }, 'internal error');
    },
  };
}

function identify(call: Call | undefined, response?: ServerResponse) {
  const { caller } = (call ?? {}) as { caller?: { env?: string; id?: string } };
  return {
    requestId: call?.requestId ?? response?.getHeader('x-request-id'),
    ...(caller?.env !== undefined && { env: caller.env, caller: caller.id }),
  };
}

function describeCause(cause: unknown) {
  if (!(cause instanceof Error)) return undefined;
  // Only calls to services have these; `undefined` is not logged.
  const { version, endpoint } = cause as { version?: string; endpoint?: string };
  return { version, endpoint, cause: cause.message };
}

/** Environments and services that are not in the configuration are `other`, so that callers cannot create labels. */
function toLabels(record: CallRecord, environments: Config['environments']) {
  const { surface, target, grantedEnv, call } = record;
  const { name: service = '' } = call?.pathValues ?? {};
  const linkedEnv = surface === 'link' ? target.split('/', 3)[2] : undefined;
  // Empty for calls of the upload target.
  const name = call?.env || grantedEnv || linkedEnv || '';
  const environment = Object.hasOwn(environments, name) ? environments[name] : undefined;
  const env = environment === undefined ? 'other' : name;
  if (surface !== 'gateway') return { env, service: '' };
  const isKnown = environment !== undefined && Object.hasOwn(environment.services, service);
  return { env, service: isKnown ? service : 'other' };
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
