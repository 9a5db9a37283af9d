import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, UploadError } from '@berth/server-stubs';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { Config } from '../config/config.ts';
import { CallRecord, type CodedError, recordOf } from '../http/call-record.ts';
import type { InFlight } from '../http/http.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

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
    metrics.countCall({ surface, operation, env, service, status, isAborted, code, seconds });
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
    begin(request: IncomingMessage, response?: ServerResponse): CallRecord {
      const record = recordOf(request);
      record.begin(request, response);
      // The gateway handles every upgrade, whatever its path.
      if (response === undefined) record.surface = 'gateway';
      inFlight.calls += 1;
      (response ?? request.socket).on('close', () => finish(record));
      return record;
    },
    onCall(call: Call): void {
      recordOf(call.request).call = call;
    },
    onResponse(_response: HandlerResponse, { request, response }: Call, error?: unknown): void {
      const record = recordOf(request);
      record.settle('responded', error as UploadError | undefined);
      if (record.response !== undefined) return;
      record.response = response;
      finish(record);
    },
    onRejected(error: UploadError, { req }: ServerResponse): void {
      recordOf(req).settle('responded', error);
    },
    /** @param request undefined if it cannot be parsed */
    onRefused(error: CodedError, requestId: string, request?: IncomingMessage): void {
      const record = request === undefined ? new CallRecord() : recordOf(request);
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
