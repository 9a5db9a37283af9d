import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Call, UploadError } from '@berth/server-stubs';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { Log } from './log.ts';
import type { EndedCall, Metrics, Surface } from './metrics.ts';

const XML_CODE = /<Code>(\w+)<\/Code>/;
/** W3C Trace Context: `version-traceId-parentId-flags`. */
const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-/;

const CALL = Symbol('observed call');
const BYTES = Symbol('bytes so far');
type Observed = IncomingMessage & { [CALL]?: ObservedCall };
type Counted = Socket & { [BYTES]?: { received: number; sent: number } };

interface ObservedCall {
  readonly surface: Surface;
  /** The original target, before a mount strips its prefix. */
  readonly target: string;
  readonly startedAt: number;
  /** Whether it may become a WebSocket. It is counted and logged when it is opened or rejected. */
  readonly isUpgrade: boolean;
  call: Call | undefined;
  code: string;
}

export type Observer = ReturnType<typeof createObserver>;

interface ObserverOptions {
  readonly log: Log;
  readonly metrics: () => Metrics;
  readonly logCalls: () => boolean;
  readonly environments: () => Environments;
}

type Environments = Readonly<Record<string, { readonly services: object }>>;

export function createObserver(options: ObserverOptions) {
  const { log, metrics, logCalls, environments } = options;
  let active = 0;
  let ended = () => {};

  /** A single listener for all responses. */
  function end(this: ServerResponse): void {
    const observed = (this.req as Observed)[CALL] as ObservedCall;
    active -= 1;
    ended();
    const status = this.headersSent ? this.statusCode : 0;
    report(observed, this, status, takeBytes(this.req.socket));
  }

  function report(
    { surface, target, startedAt, call, code }: ObservedCall,
    response: ServerResponse,
    status: number,
    bytes: { received: number; sent: number },
  ): void {
    const operation = call?.operationId ?? (surface === 'files' ? 'download' : '');
    const seconds = (performance.now() - startedAt) / 1000;
    const scope = scopeOf(call, surface, target, environments());
    metrics().count({ surface, operation, ...scope, status, code, seconds });
    const isFailure = status >= 500;
    const isRefusal = status >= 400 && code !== '';
    if (!logCalls() && !isFailure && !(isRefusal && log.isLevelEnabled('debug'))) return;
    const entry = {
      ...identify(call, response),
      surface,
      operation,
      method: response.req.method,
      // Without the query, which contains the signatures of links.
      path: target.split('?', 1)[0],
      status,
      ...(code !== '' && { code }),
      ms: Math.round(seconds * 1e5) / 100,
      ...bytes,
    };
    if (isFailure) log.warn(entry, 'call failed');
    else if (logCalls()) log.info(entry, status === 0 ? 'caller disconnected' : 'call');
    else log.debug(entry, 'call rejected');
  }

  return {
    get active() {
      return active;
    },
    onEnd(listener: () => void) {
      ended = listener;
    },
    /**
     * Runs the function that handles a request, and observes the call.
     * @param response undefined if the request may become a WebSocket, which has none in Node
     */
    run(
      surface: Surface,
      request: IncomingMessage,
      response: ServerResponse | undefined,
      work: () => void,
    ) {
      (request as Observed)[CALL] = {
        surface,
        target: request.url ?? '',
        startedAt: performance.now(),
        isUpgrade: response === undefined,
        call: undefined,
        code: '',
      };
      if (response !== undefined) {
        active += 1;
        response.on('close', end);
      }
      work();
    },
    /** For downloads, which no router handles. */
    onRefusal(error: UploadError, { req }: ServerResponse) {
      const observed = (req as Observed)[CALL];
      if (observed !== undefined) observed.code = error.code;
    },
    onResponse(response: HandlerResponse, call: Call) {
      const observed = (call.request as Observed)[CALL];
      if (observed === undefined) return;
      const { status } = response;
      observed.call = call;
      observed.code = codeOf(response);
      if (observed.isUpgrade) {
        report(observed, call.response, status, { received: 0, sent: 0 });
      }
    },
    onError(error: unknown, call: Call) {
      log.error(
        { ...identify(call, call.response), operation: call.operationId, err: error },
        'internal error',
      );
    },
  };
}

function takeBytes(socket: Counted | null): { received: number; sent: number } {
  if (socket === null) return { received: 0, sent: 0 };
  socket[BYTES] ??= { received: 0, sent: 0 };
  const before = socket[BYTES];
  const { bytesRead, bytesWritten } = socket;
  const since = { received: bytesRead - before.received, sent: bytesWritten - before.sent };
  before.received = bytesRead;
  before.sent = bytesWritten;
  return since;
}

function identify(call: Call | undefined, response: ServerResponse) {
  const traceId = TRACE_PARENT.exec(String(response.req?.headers.traceparent))?.[1];
  const caller = (call as { caller?: { env?: string; id?: string } } | undefined)?.caller;
  return {
    requestId: call?.requestId ?? response.getHeader('x-request-id'),
    ...(traceId !== undefined && { traceId }),
    ...(caller?.env !== undefined && { env: caller.env, caller: caller.id }),
  };
}

function scopeOf(
  call: Call | undefined,
  surface: Surface,
  target: string,
  environments: Environments,
): Pick<EndedCall, 'env' | 'service'> {
  const isGateway = surface === 'gateway';
  const segments = target.split(/[/?]/, 5);
  const inPath = segments[surface === 'storage' ? 4 : 2];
  const name = (isGateway ? (call as { env?: string } | undefined)?.env : inPath) ?? '';
  const isKnown = Object.hasOwn(environments, name);
  const service = segments[3] ?? '';
  const hasService = isKnown && Object.hasOwn(environments[name]?.services ?? {}, service);
  const label = hasService ? service : 'other';
  return { env: isKnown ? name : 'other', service: isGateway ? label : '' };
}

function codeOf({ status, body }: HandlerResponse): string {
  if (status < 400) return '';
  if (typeof body === 'string') return XML_CODE.exec(body)?.[1] ?? '';
  const { code, body: inner } = (body ?? {}) as { code?: unknown; body?: { code?: unknown } };
  const found = code ?? inner?.code;
  return typeof found === 'string' ? found : '';
}
