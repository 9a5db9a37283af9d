import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, UploadError } from '@berth/server-stubs';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { Config } from '../config/config.ts';
import { recordOf } from '../http/caller-request.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Counts the calls, and logs those that failed, or all of them. */
export function createCalls(log: Log, metrics: Metrics, initial: Config) {
  let config = initial;
  let active = 0;

  function end(this: ServerResponse): void {
    active -= 1;
    const { refusal } = recordOf(this.req);
    report(this.req, this.headersSent ? this.statusCode : (refusal?.status ?? 0), this);
  }

  /** @param status 0 if there was no response */
  function report(request: IncomingMessage, status: number, response?: ServerResponse): void {
    const record = recordOf(request);
    const { surface, target, startedAt, call, refusal, error = refusal, isAborted } = record;
    const operation = call?.operationId ?? (surface === 'link' ? 'download' : '');
    const seconds = (performance.now() - startedAt) / 1000;
    const code = error?.code ?? '';
    const { env, service } = toLabels(record, config.environments);
    metrics.count({ surface, operation, env, service, status, isAborted, code, seconds });
    const isFailure = status >= 500;
    if (!config.log.calls && !isFailure) return;
    const entry = {
      ...identify(call, response),
      surface,
      operation,
      method: request.method,
      // Without the query, which contains the signatures of links.
      path: target.split('?', 1)[0],
      status,
      ms: Math.round(seconds * 1e5) / 100,
      ...(error && { code, reason: error.message }),
      ...(isFailure && describeCause(error?.cause)),
    };
    if (isFailure) log.warn(entry, 'call failed');
    else if (status > 0) log.info(entry, 'call');
    else log.info(entry, isAborted ? 'aborted' : 'caller disconnected');
  }

  return {
    get active() {
      return active;
    },
    /** @param target in origin form */
    begin(surface: string, target: string, response: ServerResponse): void {
      const record = recordOf(response.req);
      record.surface = surface;
      record.target = target;
      active += 1;
      response.on('close', end);
    },
    /** An upgrade has no response in Node. It ends with the 101 or the refusal, or if the connection closes first. */
    beginUpgrade(target: string, request: IncomingMessage): void {
      const record = recordOf(request);
      record.surface = 'gateway';
      record.target = target;
      record.isPendingUpgrade = true;
      request.socket.once('close', () => {
        if (record.isPendingUpgrade) report(request, 0);
      });
    },
    onResponse({ status }: HandlerResponse, call: Call, error?: unknown): void {
      const record = recordOf(call.request);
      record.call = call;
      record.error = error as typeof record.error;
      if (!record.isPendingUpgrade) return;
      record.isPendingUpgrade = false;
      report(call.request, status, call.response);
    },
    onRejected(error: UploadError, { req }: ServerResponse): void {
      recordOf(req).error = error;
    },
    /** For bugs, and for responses that were cut off. */
    onError(error: unknown, call: Call): void {
      const { operationId: operation, response } = call;
      log.error({ ...identify(call, response), operation, err: error }, 'internal error');
    },
    update(next: Config): void {
      config = next;
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
function toLabels(record: ReturnType<typeof recordOf>, environments: Config['environments']) {
  const { surface, target, grantedEnv, call } = record;
  const { name: service = '' } = call?.pathValues ?? {};
  const linkedEnv = surface === 'link' ? target.split('/', 3)[2] : undefined;
  // Calls of the gateway and the storage API have it.
  const { env: calledEnv } = (call ?? {}) as { env?: string };
  const name = calledEnv ?? grantedEnv ?? linkedEnv ?? '';
  const environment = Object.hasOwn(environments, name) ? environments[name] : undefined;
  const env = environment === undefined ? 'other' : name;
  if (surface !== 'gateway') return { env, service: '' };
  const isKnown = environment !== undefined && Object.hasOwn(environment.services, service);
  return { env, service: isKnown ? service : 'other' };
}
