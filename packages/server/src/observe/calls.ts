import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Call, GatewayError, UploadError } from '@berth/server-stubs';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * A request with the record of its call, which all hooks can reach. Once the response closes, `end` reports it. A
 * `WeakMap` would take a microsecond or two for each call.
 *
 * | Hook       | Called by                             | Adds                                                     |
 * | ---------- | ------------------------------------- | -------------------------------------------------------- |
 * | begin      | application.ts, for each request      | the record: surface, target, start                       |
 * | onGrant    | the storage engine, for a valid grant | the environment, which the path of an upload lacks       |
 * | onResponse | the three routers, as they respond    | operation, caller and error; it reports upgrades at once |
 * | onRejected | the download listener                 | the error                                                |
 * | onError    | the three routers, see below          | nothing: it logs at once                                 |
 */
export class CallerRequest extends IncomingMessage {
  record: CallRecord | undefined;
}

function recordOf(request: object): CallRecord | undefined {
  return (request as CallerRequest).record;
}

/** Records that the connection itself responds to a call, because its body is late or invalid. */
export function recordRefusal(request: IncomingMessage, refusal: GatewayError): void {
  const record = recordOf(request);
  if (record !== undefined) record.refusal = refusal;
}

interface CallRecord {
  readonly surface: string;
  /** The target in origin form, before a mount strips its prefix. */
  readonly target: string;
  readonly isUpgrade: boolean;
  readonly startedAt: number;
  grantedEnv?: string;
  call?: Call;
  error?: ContractError;
  /** Sent by the connection instead of the response. */
  refusal?: GatewayError;
}

type ContractError = Error & { readonly code: string };

/** Counts the calls, and logs those that failed, or all of them. */
export function createCalls(log: Log, metrics: Metrics, initial: Config) {
  let config = initial;
  let active = 0;

  function end(this: ServerResponse): void {
    active -= 1;
    const record = recordOf(this.req) as CallRecord;
    const status = this.headersSent ? this.statusCode : (record.refusal?.status ?? 0);
    report(record, this, status);
  }

  function report(record: CallRecord, response: ServerResponse, status: number): void {
    const { surface, target, startedAt, call, refusal, error = refusal } = record;
    const operation = call?.operationId ?? (surface === 'files' ? 'download' : '');
    const seconds = (performance.now() - startedAt) / 1000;
    const code = error?.code ?? '';
    const { env, service } = toLabels(record, config.environments);
    metrics.count({ surface, operation, env, service, status, code, seconds });
    const isFailure = status >= 500;
    if (!config.log.calls && !isFailure) return;
    const entry = {
      ...identify(call, response),
      surface,
      operation,
      method: response.req.method,
      // Without the query, which contains the signatures of links.
      path: target.split('?', 1)[0],
      status,
      ms: Math.round(seconds * 1e5) / 100,
      ...(error && { code, reason: error.message }),
      ...(isFailure && describeCause(error?.cause)),
    };
    if (isFailure) log.warn(entry, 'call failed');
    else log.info(entry, status === 0 ? 'caller disconnected' : 'call');
  }

  return {
    get active() {
      return active;
    },
    /**
     * @param target in origin form
     * @param response undefined for an upgrade, which has none in Node; it ends with the 101 or the refusal
     */
    begin(
      surface: string,
      target: string,
      request: IncomingMessage,
      response: ServerResponse | undefined,
    ): void {
      const startedAt = performance.now();
      const isUpgrade = response === undefined;
      (request as CallerRequest).record = { surface, target, isUpgrade, startedAt };
      if (response === undefined) return;
      active += 1;
      response.on('close', end);
    },
    /** @param env from a grant, whose signature is valid */
    onGrant(request: object, env: string): void {
      const record = recordOf(request);
      if (record !== undefined) record.grantedEnv = env;
    },
    onResponse({ status }: HandlerResponse, call: Call, error?: unknown): void {
      const record = recordOf(call.request);
      if (record === undefined) return;
      record.call = call;
      if (error !== undefined) record.error = error as ContractError;
      if (record.isUpgrade) report(record, call.response, status);
    },
    onRejected(error: UploadError, { req }: ServerResponse): void {
      const record = recordOf(req);
      if (record !== undefined) record.error = error;
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

function identify(call: Call | undefined, response: ServerResponse) {
  const { caller } = (call ?? {}) as { caller?: { env?: string; id?: string } };
  return {
    requestId: call?.requestId ?? response.getHeader('x-request-id'),
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
  const { envId, name: service = '' } = call?.pathValues ?? {};
  const linkedEnv = surface === 'files' ? target.split('/', 3)[2] : undefined;
  // Only calls of the gateway have an `env` of their own.
  const { env: calledEnv } = (call ?? {}) as { env?: string };
  const name = calledEnv ?? envId ?? grantedEnv ?? linkedEnv ?? '';
  const environment = Object.hasOwn(environments, name) ? environments[name] : undefined;
  const env = environment === undefined ? 'other' : name;
  if (surface !== 'gateway') return { env, service: '' };
  const isKnown = environment !== undefined && Object.hasOwn(environment.services, service);
  return { env, service: isKnown ? service : 'other' };
}
