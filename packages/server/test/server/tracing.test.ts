import { once } from 'node:events';
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
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startHelloService } from '../../src/cli/hello-service.ts';
import { startService } from './support/hosted-service.ts';
import { startServer } from './support/start-server.ts';

const PARENT = createContextKey('traceparent');
const TRACE = '0af7651916cd43dd8448eb211c80319c';

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
      spanContext: () => ({ traceId: TRACE }),
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
  const { call, server, lines } = await startServer(
    { log: { calls: true } },
    { services: { hello: { endpoints: [origin] } } },
  );
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
    {
      name: 'GET',
      kind: 2,
      parent: '00-abc-1',
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'berth.env': 'dev',
        'berth.service': 'hello',
      },
      hasEnded: true,
    },
  ]);
  expect(lines.find(({ msg }) => msg === 'call')).toMatchObject({ traceId: TRACE });
});

test('a WebSocket has spans, which end when it is open or rejected', async () => {
  const spans = register();
  const { origin, close } = await startHelloService();
  onTestFinished(close);
  const { url, token } = await startServer({}, { services: { hello: { endpoints: [origin] } } });
  const open = (authorization: string) =>
    new WebSocket(`${url.replace('http', 'ws')}/v1/cloudrun/hello/chat`, {
      headers: { authorization, traceparent: '00-abc-1' },
    }).on('error', () => {});
  const socket = open(`Bearer ${token}`);
  await once(socket, 'open');
  await once(open('Bearer x.y.z'), 'error');
  expect(spans).toMatchObject([
    {
      name: 'GET cloudrun-get',
      kind: 1,
      parent: '00-abc-1',
      attributes: { 'http.response.status_code': 101, 'berth.operation': 'cloudrun-get' },
      hasEnded: true,
    },
    {
      kind: 2,
      parent: '00-abc-1',
      attributes: { 'http.response.status_code': 101, 'berth.service': 'hello' },
      hasEnded: true,
    },
    { kind: 1, attributes: { 'http.response.status_code': 401 }, hasEnded: true },
  ]);
  socket.terminate();
});

test('ends the spans of a call that fails', async () => {
  const spans = register();
  const { call, server } = await startServer();
  expect((await call()).status).toBe(404);
  await server.close();
  expect(spans.map(({ kind, hasEnded }) => [kind, hasEnded])).toEqual([
    [1, true],
    [2, true],
  ]);
});

test('forwards and logs the trace of the caller unchanged without an SDK', async () => {
  const origin = await startService(({ headers }, response) => response.end(headers.traceparent));
  const { call, lines } = await startServer(
    { log: { calls: true } },
    { services: { hello: { endpoints: [origin] } } },
  );
  for (const traceparent of [`00-${TRACE}-b7ad6b7169203331-01`, '00-abc-1']) {
    expect(await (await call('', { headers: { traceparent } })).text()).toBe(traceparent);
  }
  await expect.poll(() => lines.filter(({ msg }) => msg === 'call').length).toBe(2);
  const calls = lines.filter(({ msg }) => msg === 'call');
  expect(calls.map(({ traceId }) => traceId)).toEqual([TRACE, undefined]);
});

const sdk = vi.hoisted(() => ({ started: [] as unknown[], stopped: 0 }));
vi.mock('@opentelemetry/sdk-node', () => ({
  NodeSDK: class {
    readonly #options: unknown;
    constructor(options: unknown) {
      this.#options = options;
    }
    start(): void {
      sdk.started.push(this.#options);
      if (sdk.started.length > 1) throw new Error('no exporter');
      register();
    }
    async shutdown(): Promise<void> {
      sdk.stopped += 1;
    }
  },
}));

test('starts the installed SDK if the environment names an OTLP endpoint', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { server } = await startServer();
  await server.close();
  expect(sdk).toEqual({ started: [{ serviceName: 'berth-server' }], stopped: 1 });
  trace.disable();

  const { lines } = await startServer();
  expect(lines.map(({ msg }) => msg)).toContain(
    'no spans are exported: install @opentelemetry/sdk-node and @opentelemetry/api',
  );
});
