import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
];

export type Surface = 'gateway' | 'storage' | 'upload' | 'files';

export interface EndedCall {
  readonly surface: Surface;
  readonly operation: string;
  /** Names of the configuration, so that callers cannot create labels; `other` if unknown. */
  readonly env: string;
  readonly service: string;
  /** 0 if the caller disconnected before a response. */
  readonly status: number;
  readonly code: string;
  readonly seconds: number;
}

const GAUGES = {
  connections: ['berth_connections', 'Open connections from callers.'],
  activeCalls: ['berth_calls_active', 'Calls in flight.'],
  outstanding: ['berth_upstream_outstanding', 'Calls to hosted services in flight.'],
} as const;

type Readings = Readonly<Record<keyof typeof GAUGES, () => number>>;

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(readings: Readings) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const [key, [name, help]] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(readings[key as keyof typeof GAUGES]());
      },
    });
  }
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const calls = counter(
    'berth_calls_total',
    'Completed calls. status is 1xx (a WebSocket) to 5xx, or gone if the caller disconnected.',
    ['surface', 'operation', 'status', 'code', 'env', 'service'],
  );
  const durations = new Histogram({
    name: 'berth_call_duration_seconds',
    help: 'Time from the request head to the end of the response, in seconds.',
    labelNames: ['surface', 'operation', 'env', 'service'],
    buckets: SECONDS,
    registers,
  });
  const storeFailures = counter('berth_store_failures_total', 'Failed blob store operations.', [
    'method',
  ]);
  const damages = counter('berth_damaged_files_total', 'Damaged files found by downloads.', []);
  const fallbacks = counter(
    'berth_shared_fallbacks_total',
    'Decisions about a quota, revocation or lock that were made without Redis.',
    ['decision'],
  );
  return {
    registry,
    count({ surface, operation, env, service, status, code, seconds }: EndedCall) {
      const kind = status === 0 ? 'gone' : `${Math.floor(status / 100)}xx`;
      calls.inc({ surface, operation, status: kind, code, env, service });
      durations.observe({ surface, operation, env, service }, seconds);
    },
    countStoreFailure: (method: string) => storeFailures.inc({ method }),
    countDamage: () => damages.inc(),
    /** For a decision that was made without Redis. */
    countFallback: (decision: string) => fallbacks.inc({ decision }),
  };
}
