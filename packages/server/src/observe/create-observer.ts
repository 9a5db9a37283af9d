import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Call, GatewayHandlers, HandlerResponse } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/engine/node';
import type { Log } from './create-log.ts';
import type { EndedCall, Metrics, Surface } from './create-metrics.ts';
import { traceIdOf } from './create-tracing.ts';

const XML_CODE = /<Code>(\w+)<\/Code>/;
const CALL = Symbol('observed call');
const BYTES = Symbol('bytes so far');
const UPGRADE = Symbol('time of an upgrade');
type Observed = ServerResponse & { [CALL]?: ObservedCall };
type Upgrading = IncomingMessage & { [UPGRADE]?: number };
type Counted = Socket & { [BYTES]?: { received: number; sent: number } };

interface ObservedCall {
  readonly surface: Surface;
  /** The original target, before a mount strips its prefix. */
  readonly target: string;
  readonly startedAt: number;
  call: Call | undefined;
  code: string;
  isStream: boolean;
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
  let streams = 0;
  let ended = () => {};

  /** A single listener for all responses. */
  function end(this: ServerResponse): void {
    const { surface, target, startedAt, call, code, isStream } = (this as Observed)[
      CALL
    ] as ObservedCall;
    active -= 1;
    if (isStream) streams -= 1;
    ended();
    const status = this.headersSent ? this.statusCode : 0;
    const bytes = takeBytes(this.req.socket);
    report({ surface, status, code, ...bytes }, startedAt, this.req.method, target, call, this);
  }

  function report(
    facts: Pick<EndedCall, 'surface' | 'status' | 'code' | 'received' | 'sent'>,
    startedAt: number,
    method: string | undefined,
    target: string,
    call: Call | undefined,
    response: ServerResponse,
  ): void {
    const { surface, status, code, received, sent } = facts;
    const operation = call?.operationId ?? (surface === 'files' ? 'download' : '');
    const seconds = (performance.now() - startedAt) / 1000;
    metrics().count({
      ...facts,
      ...scopeOf(call, surface, target, environments()),
      operation,
      seconds,
    });
    const isFailure = status >= 500;
    const isRefusal = status >= 400 && code !== '';
    if (!logCalls() && !isFailure && !(isRefusal && log.isLevelEnabled('debug'))) return;
    const entry = {
      ...identify(call, response),
      surface,
      operation,
      method,
      // Without the query, which contains the signatures of links.
      path: target.split('?', 1)[0],
      status,
      ...(code !== '' && { code }),
      ms: Math.round(seconds * 1e5) / 100,
      received,
      sent,
    };
    if (isFailure) log.warn(entry, 'call failed');
    else if (logCalls()) log.info(entry, status === 0 ? 'caller disconnected' : 'call');
    else log.debug(entry, 'call rejected');
  }

  return {
    get active() {
      return active;
    },
    get streams() {
      return streams;
    },
    onEnd(listener: () => void) {
      ended = listener;
    },
    begin(surface: Surface, request: IncomingMessage, response: ServerResponse) {
      active += 1;
      (response as Observed)[CALL] = {
        surface,
        target: request.url ?? '',
        startedAt: performance.now(),
        call: undefined,
        code: '',
        isStream: false,
      };
      response.on('close', end);
    },
    /** For a request that may become a WebSocket, which has no response object in Node. */
    beginUpgrade(request: IncomingMessage) {
      (request as Upgrading)[UPGRADE] = performance.now();
    },
    /** For downloads, which no router handles. */
    onRefusal(code: string, response: ServerResponse) {
      const observed = (response as Observed)[CALL];
      if (observed !== undefined) observed.code = code;
    },
    onResponse(response: HandlerResponse, call: Call) {
      const observed = (call.response as Observed)[CALL];
      if (observed === undefined) {
        // A WebSocket is counted and logged when it is opened or rejected.
        const { status } = response;
        const facts = { surface: 'gateway', status, code: codeOf(response) } as const;
        const startedAt = (call.request as Upgrading)[UPGRADE] ?? performance.now();
        const { method, url = '' } = call.request;
        const bytes = { received: 0, sent: 0 };
        report({ ...facts, ...bytes }, startedAt, method, url, call, call.response);
        return;
      }
      observed.call = call;
      if (response.status >= 400) observed.code = codeOf(response);
      else if (!observed.isStream && isEventStream(response)) {
        observed.isStream = true;
        streams += 1;
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
  const caller = (call as { caller?: { env?: string; id?: string } } | undefined)?.caller;
  return {
    requestId: call?.requestId ?? response.getHeader('x-request-id'),
    traceId: traceIdOf(response),
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

function isEventStream({ headers }: HandlerResponse): boolean {
  const type = headers?.['content-type'];
  return typeof type === 'string' && type.startsWith('text/event-stream');
}

type Handlers = GatewayHandlers<Caller>;

export function observeWebSockets(
  handlers: Handlers,
  onResponse: Observer['onResponse'],
): Handlers {
  const { webSocket } = handlers;
  if (webSocket === undefined) return handlers;
  return {
    ...handlers,
    async webSocket(input, call) {
      const response = await webSocket(input, call);
      if (!('open' in response)) return response;
      return {
        ...response,
        open(client, head) {
          onResponse({ status: response.status }, call);
          response.open(client, head);
        },
      };
    },
  };
}
