import {
  type Attributes,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from './support/hosted-service.ts';
import { startServer } from './support/start-server.ts';

const PARENT = createContextKey('traceparent');

/** What a test sees of a span. */
interface Seen {
  name: string;
  kind: unknown;
  parent: unknown;
  attributes: Attributes;
  hasEnded: boolean;
}

function register(): Seen[] {
  const spans: Seen[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, parent = ROOT_CONTEXT): Span => {
    const seen: Seen = {
      name,
      kind: options.kind,
      parent: parent.getValue(PARENT),
      attributes: { ...options.attributes },
      hasEnded: false,
    };
    spans.push(seen);
    const span = {
      setAttribute: (key: string, value: string) =>
        Object.assign(seen.attributes, { [key]: value }),
      setAttributes: (more: Attributes) => Object.assign(seen.attributes, more),
      setStatus: () => span,
      updateName: (next: string) => {
        seen.name = next;
      },
      end: () => {
        seen.hasEnded = true;
      },
    } as unknown as Span;
    return span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  propagation.setGlobalPropagator({
    extract: (from, carrier) => from.setValue(PARENT, carrier.traceparent),
    inject: (from, carrier) => {
      carrier.traceparent = `child of ${from.getValue(PARENT)}`;
    },
    fields: () => ['traceparent'],
  });
  onTestFinished(() => {
    trace.disable();
    propagation.disable();
    context.disable();
  });
  return spans;
}

test('a call is a span in the trace of its caller, and the service gets it', async () => {
  const spans = register();
  const origin = await startService(({ headers }, response) => response.end(headers.traceparent));
  const { call, server } = await startServer({}, { services: { hello: { endpoints: [origin] } } });
  const reply = await call('/a?b=secret', { headers: { traceparent: '00-abc-1' } });
  expect(await reply.text()).toBe('child of 00-abc-1');
  await server.close();
  expect(spans).toEqual([
    {
      name: 'GET cloudrun-get',
      kind: 1,
      parent: '00-abc-1',
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'url.path': '/v1/cloudrun/hello/a',
        'berth.surface': 'gateway',
        'berth.operation': 'cloudrun-get',
        'berth.request_id': reply.headers.get('x-request-id'),
      },
      hasEnded: true,
    },
  ]);
});

test('forwards the trace of the caller unchanged without an SDK', async () => {
  const origin = await startService(({ headers }, response) => response.end(headers.traceparent));
  const { call } = await startServer({}, { services: { hello: { endpoints: [origin] } } });
  expect(await (await call('', { headers: { traceparent: '00-abc-1' } })).text()).toBe('00-abc-1');
});
