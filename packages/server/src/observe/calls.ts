import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, UploadError } from '@berth/server-stubs';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { Config } from '../config/config.ts';
import { CallRecord, type Refusal, recordOf, type Surface } from '../http/caller-request.ts';
import type { InFlight } from '../http/http.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/*
 * How a call ends. The status is the one of the response that the caller gets, or 0 if there is none.
 *
 * | Event                                       | Recorded by                  | `outcome` | Log message                 | Metric     |
 * | ------------------------------------------- | ---------------------------- | --------- | --------------------------- | ---------- |
 * | a router or the listener for links responds | `onResponse`, `onRejected`   | responded | call; from 500, call failed | 1xx to 5xx |
 * | the connection refuses the request or body  | `onRefused`                  | refused   | call                        | 4xx        |
 * | a service breaks off its response           | `Forwarding.onResponseError` | aborted   | call failed                 | aborted    |
 * | the store breaks off a download             | `end`                        | aborted   | aborted                     | aborted    |
 * | this server closes the connection           | `CallerConnection.abort`     | aborted   | aborted                     | aborted    |
 * | the caller disconnects before the response  | nothing                      | gone      | caller disconnected         | gone       |
 *
 * If the caller disconnects during the response, nothing changes.
 */

/** Counts the calls, and logs those that failed, or all of them. */
export function createCalls(config: Config, log: Log, metrics: Metrics, inFlight: InFlight) {
  /** Upgrades without a response. */
  const upgrades = new Set<IncomingMessage>();

  function end(this: ServerResponse): void {
    inFlight.calls -= 1;
    const record = recordOf(this.req);
    // The store, which logs its own errors, has destroyed the response with one.
    if (this.errored) record.end({ kind: 'aborted' });
    report(record, this.req.method, this);
  }

  /** An upgrade ends with the 101 or a rejection, or with its connection. */
  function endUpgrade(request: IncomingMessage, response?: ServerResponse): void {
    if (upgrades.delete(request)) report(recordOf(request), request.method, response);
  }

  function report(record: CallRecord, method?: string, response?: ServerResponse): void {
    const { surface, target, startedAt, call, outcome } = record;
    const sent = response?.headersSent ? response.statusCode : 0;
    const refusal = outcome?.kind === 'refused' ? outcome : undefined;
    const status = refusal?.error.status ?? sent;
    const isAborted = outcome?.kind === 'aborted';
    const error = outcome?.error;
    const operation = call?.operationId ?? (surface === 'link' ? 'download' : '');
    const seconds = (performance.now() - startedAt) / 1000;
    const code = error?.code ?? '';
    const { env, service } = toLabels(record, config.environments);
    metrics.count({ surface, operation, env, service, status, isAborted, code, seconds });
    const isFailure = status >= 500 || (isAborted && error !== undefined);
    if (!config.log.calls && !isFailure) return;
    const entry = {
      ...identify(call, response),
      ...(refusal && { requestId: refusal.requestId }),
      outcome: outcome?.kind ?? (status > 0 ? 'responded' : 'gone'),
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
    /** The target is in origin form. In Node, an upgrade has no response. */
    begin(surface: Surface, target: string, request: IncomingMessage, response?: ServerResponse) {
      recordOf(request).begin(surface, target);
      if (response === undefined) {
        upgrades.add(request);
        request.socket.once('close', () => endUpgrade(request));
      } else {
        inFlight.calls += 1;
        response.on('close', end);
      }
    },
    onCall(call: Call): void {
      recordOf(call.request).call = call;
    },
    onResponse(_response: HandlerResponse, call: Call, error?: unknown): void {
      const record = recordOf(call.request);
      record.end({ kind: 'responded', error: error as UploadError | undefined });
      endUpgrade(call.request, call.response);
    },
    onRejected(error: UploadError, { req }: ServerResponse): void {
      recordOf(req).end({ kind: 'responded', error });
    },
    onRefused(surface: Surface, target: string, refusal: Refusal, request?: IncomingMessage): void {
      const record = request === undefined ? new CallRecord() : recordOf(request);
      record.end(refusal);
      // A call whose body is refused is reported when its response is closed.
      if (record.target !== '') return;
      record.begin(surface, target);
      report(record, request?.method);
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
