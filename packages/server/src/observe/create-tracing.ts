import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, GatewayHandler, GatewayHandlers } from '@berth/server-stubs';
import type { Context, Span } from '@opentelemetry/api';
import type { Caller } from '../auth/caller.ts';
import type { Surface } from './surface.ts';

const SPAN = Symbol('span');
type Traced = ServerResponse & { [SPAN]?: { readonly span: Span; readonly context: Context } };

type Api = typeof import('@opentelemetry/api');

/** Creates spans for calls, with any OpenTelemetry SDK that the process has registered. */
export interface Tracing {
  /** Starts a SERVER span in the trace of the request, and runs the function in it. */
  run(surface: Surface, request: IncomingMessage, response: ServerResponse, work: () => void): void;
  /** Names the span after the operation. */
  name(call: Call): void;
  /** Returns headers that propagate the trace, such as `traceparent`. */
  headersOf(response: ServerResponse): Record<string, string>;
}

/**
 * Sets up tracing if `@opentelemetry/api` is installed and an SDK has already been registered, for example
 * with `node --import`. Otherwise returns `undefined`, so that tracing costs nothing per call.
 */
export async function createTracing(): Promise<Tracing | undefined> {
  const api = await import('@opentelemetry/api').catch(() => undefined);
  if (api === undefined || !isRegistered(api)) return undefined;
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('@berth/server');
  return {
    run(surface, request, response, work) {
      const parent = propagation.extract(context.active(), request.headers);
      const { method = 'GET', url = '/' } = request;
      const attributes = {
        'http.request.method': method,
        'url.path': url.split('?', 1)[0] as string,
        'berth.surface': surface,
      };
      const options = { kind: SpanKind.SERVER, attributes };
      const span = tracer.startSpan(`${method} ${surface}`, options, parent);
      const own = trace.setSpan(parent, span);
      (response as Traced)[SPAN] = { span, context: own };
      response.once('close', () => {
        if (response.headersSent) {
          span.setAttribute('http.response.status_code', response.statusCode);
        }
        if (response.statusCode >= 500 || !response.writableFinished) {
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      });
      context.with(own, work);
    },
    name(call) {
      const span = (call.response as Traced)[SPAN]?.span;
      if (span === undefined || call.operationId === '') return;
      span.updateName(`${call.request.method} ${call.operationId}`);
      span.setAttributes({
        'berth.operation': call.operationId,
        'berth.request_id': call.requestId,
      });
    },
    headersOf(response) {
      const headers: Record<string, string> = {};
      const traced = (response as Traced)[SPAN];
      if (traced !== undefined) propagation.inject(traced.context, headers);
      return headers;
    },
  };
}

/** Many libraries install the API; without an SDK its spans go nowhere. */
function isRegistered({ trace }: Api): boolean {
  const provider = trace.getTracerProvider() as { getDelegate?(): object };
  const delegate = provider.getDelegate?.() ?? provider;
  return delegate.constructor.name !== 'NoopTracerProvider';
}

type Handlers = GatewayHandlers<Caller>;

/** Wraps handlers so that they propagate the trace of a call to the hosted service. */
export function traceHandlers(handlers: Handlers, tracing: Tracing | undefined): Handlers {
  if (tracing === undefined) return handlers;
  const traced = Object.entries(handlers).map(([name, handler]) => [
    name,
    (...[input, call]: Parameters<GatewayHandler<Caller>>) => {
      // Not earlier, because a signature may cover the original headers.
      const headers = { ...input.headers, ...tracing.headersOf(call.response) };
      return (handler as GatewayHandler<Caller>)({ ...input, headers }, call);
    },
  ]);
  return Object.fromEntries(traced);
}
