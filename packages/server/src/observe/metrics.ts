import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type Surface = 'gateway' | 'storage' | 'upload' | 'files';

/** Names of the configuration, so that callers cannot create labels; `other` if unknown. */
interface Labels {
  readonly surface: Surface;
  readonly operation: string;
  readonly env: string;
  readonly service: string;
}

interface EndedCall extends Labels {
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
  const calls = new Map<string, CallRow>();
  new Counter({
    name: 'berth_calls_total',
    help: 'Completed calls. status is 1xx (a WebSocket) to 5xx, or gone if the caller disconnected.',
    labelNames: ['surface', 'operation', 'status', 'code', 'env', 'service'],
    registers,
    collect() {
      this.reset();
      for (const { labels, outcomes } of calls.values()) {
        const { surface, operation, env, service } = labels;
        for (const { status, code, calls } of outcomes.values()) {
          this.inc({ surface, operation, status, code, env, service }, calls);
        }
      }
    },
  });
  return {
    contentType: registry.contentType,
    toText: async (): Promise<string> =>
      `${await registry.metrics()}\n${toDurations(calls.values())}`,
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
    count(call: EndedCall): void {
      const { surface, operation, env, service } = call;
      const key = `${surface} ${operation} ${env} ${service}`;
      let row = calls.get(key);
      if (row === undefined) {
        row = new CallRow({ surface, operation, env, service });
        calls.set(key, row);
      }
      row.count(call);
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

const BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
];

/** Calls with the same labels. The metrics of prom-client hash the labels of each call, which takes 3 µs. */
class CallRow {
  readonly labels: Labels;
  readonly outcomes = new Map<string, { status: string; code: string; calls: number }>();
  /** Number of calls up to the limit of each bucket and above the limit of the one before it. */
  readonly buckets = BUCKETS.map(() => 0);
  calls = 0;
  seconds = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  count({ status, code, seconds }: EndedCall): void {
    const kind = status === 0 ? 'gone' : `${Math.floor(status / 100)}xx`;
    const key = `${kind} ${code}`;
    const outcome = this.outcomes.get(key);
    if (outcome === undefined) this.outcomes.set(key, { status: kind, code, calls: 1 });
    else outcome.calls += 1;
    this.calls += 1;
    this.seconds += seconds;
    const bucket = BUCKETS.findIndex((limit) => seconds <= limit);
    if (bucket >= 0) this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
  }
}

const DURATIONS = 'berth_call_duration_seconds';

function toDurations(rows: Iterable<CallRow>): string {
  const lines = [
    `# HELP ${DURATIONS} Time from the request head to the end of the response, in seconds.`,
    `# TYPE ${DURATIONS} histogram`,
  ];
  for (const { labels, buckets, calls, seconds } of rows) {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    const text = pairs.join(',');
    let total = 0;
    BUCKETS.forEach((limit, index) => {
      total += buckets[index] ?? 0;
      lines.push(`${DURATIONS}_bucket{${text},le="${limit}"} ${total}`);
    });
    lines.push(
      `${DURATIONS}_bucket{${text},le="+Inf"} ${calls}`,
      `${DURATIONS}_sum{${text}} ${seconds}`,
      `${DURATIONS}_count{${text}} ${calls}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
