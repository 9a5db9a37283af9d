import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, GatewayCall, GatewayHandler, GatewayHandlers } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/engine/node';
import type { Context, Span } from '@opentelemetry/api';
import type { Log } from './create-log.ts';
import type { Surface } from './create-metrics.ts';

const SPAN = Symbol('span');
type Traced = IncomingMessage & { [SPAN]?: { readonly span: Span; readonly context: Context } };

type Api = typeof import('@opentelemetry/api');

export type Tracing = NonNullable<Awaited<ReturnType<typeof createTracing>>>;

const OTLP = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** W3C Trace Context: `version-traceId-parentId-flags`. */
const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-/;

/** Returns the ID of the trace of a call, which may be that of its caller. */
export function traceIdOf(response: ServerResponse): string | undefined {
  const span = (response.req as Traced | undefined)?.[SPAN]?.span;
  const given = response.req?.headers.traceparent;
  return span?.spanContext().traceId ?? TRACE_PARENT.exec(String(given))?.[1];
}

/**
 * Sets up tracing if `@opentelemetry/api` is installed and an SDK has already been registered, for example
 * with `node --import`, or if the environment names an OTLP endpoint and `@opentelemetry/sdk-node` is installed.
 * Otherwise returns `undefined`, so that tracing costs nothing per call.
 */
export async function createTracing(log: Log) {
  const api = await import('@opentelemetry/api').catch(() => undefined);
  const isReady = api !== undefined && isRegistered(api);
  const sdk = isReady ? undefined : await startSdk(log);
  if (api === undefined || !isRegistered(api)) return undefined;
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('@berth/server');
  return {
    /** Starts a SERVER span in the trace of the request, and runs the function in it. */
    run(surface: Surface, request: IncomingMessage, work: () => void) {
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
      (request as Traced)[SPAN] = { span, context: own };
      context.with(own, work);
    },
    /** Ends the SERVER span. */
    end({ req }: ServerResponse, call: Call | undefined, status: number, isComplete: boolean) {
      const span = (req as Traced)[SPAN]?.span;
      if (span === undefined) return;
      if (call !== undefined && call.operationId !== '') {
        const { operationId, requestId } = call;
        span.updateName(`${req.method} ${operationId}`);
        span.setAttributes({ 'berth.operation': operationId, 'berth.request_id': requestId });
      }
      if (status > 0) span.setAttribute('http.response.status_code', status);
      if (status >= 500 || !isComplete) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    /**
     * Starts a CLIENT span for a call to a hosted service, which ends with the response headers. Sends headers that
     * propagate the trace, such as `traceparent`.
     */
    async forward<T extends { readonly status: number }>(
      { request, env }: GatewayCall<Caller>,
      service: string,
      send: (headers: Record<string, string>) => T | Promise<T>,
    ): Promise<T> {
      const traced = (request as Traced)[SPAN];
      if (traced === undefined) return send({});
      const { method = 'GET' } = request;
      const attributes = {
        'http.request.method': method,
        'berth.env': env,
        'berth.service': service,
      };
      const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, traced.context);
      const headers: Record<string, string> = {};
      propagation.inject(trace.setSpan(traced.context, span), headers);
      try {
        const result = await send(headers);
        span.setAttribute('http.response.status_code', result.status);
        if (result.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        return result;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
        throw error;
      } finally {
        span.end();
      }
    },
    async close() {
      await sdk?.shutdown().catch((error) => log.warn({ err: error }, 'cannot export spans'));
    },
  };
}

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

/** Starts the SDK, which reads its settings from the environment. It is not a dependency of this package. */
async function startSdk(log: Log): Promise<Sdk | undefined> {
  if (!OTLP.some((name) => process.env[name])) return undefined;
  const name = '@opentelemetry/sdk-node';
  try {
    const { NodeSDK } = await import(name);
    const { OTEL_SERVICE_NAME: serviceName = 'berth-server' } = process.env;
    const sdk: Sdk = new NodeSDK({ serviceName });
    sdk.start();
    return sdk;
  } catch (error) {
    log.warn({ err: error }, `no spans are exported: install ${name} and @opentelemetry/api`);
    return undefined;
  }
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
      return tracing.forward(call, input.name, (more) => {
        const headers = { ...input.headers, ...more };
        return (handler as GatewayHandler<Caller>)({ ...input, headers }, call);
      });
    },
  ]);
  return Object.fromEntries(traced);
}
