import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'berth_calls_total',
    help: 'Completed calls. status is 1xx (a WebSocket) to 5xx, or gone if the caller disconnected.',
    labelNames: ['surface', 'operation', 'env', 'service', 'status', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'berth_call_duration_seconds',
    help: 'Time from the request head to the end of the response, in seconds.',
    labelNames: ['surface', 'operation', 'env', 'service'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  return {
    contentType: registry.contentType,
    toText: (): Promise<string> => registry.metrics(),
    /** Adds a gauge that is read for each scrape. */
    addGauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    count({ surface, operation, env, service, status, code, seconds }: EndedCall): void {
      const labels = { surface, operation, env, service };
      const kind = status === 0 ? 'gone' : `${Math.floor(status / 100)}xx`;
      calls.inc({ ...labels, status: kind, code });
      durations.observe(labels, seconds);
    },
    storeFailures: new Counter({
      name: 'berth_store_failures_total',
      help: 'Failed blob store operations.',
      labelNames: ['method'],
      registers,
    }),
    damagedFiles: new Counter({
      name: 'berth_damaged_files_total',
      help: 'Damaged files found by downloads.',
      registers,
    }),
    redisFailures: new Counter({
      name: 'berth_redis_failures_total',
      help: 'Calls for which Redis was not available: use is quota, revocation or lock.',
      labelNames: ['use'],
      registers,
    }),
  };
}
