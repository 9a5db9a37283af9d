import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** `env` and `service` are names in the configuration, or `other`: callers must not be able to create labels. */
interface Labels {
  readonly surface: string;
  readonly operation: string;
  readonly env: string;
  readonly service: string;
}

interface EndedCall extends Labels {
  /** 0 if there was no response. */
  readonly status: number;
  /** Whether the response, if any, is incomplete because of this server or a service. */
  readonly isAborted: boolean;
  readonly code: string;
  readonly seconds: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /** By their labels. */
  const rows = new Map<string, CallRow>();
  new Counter({
    name: 'berth_calls_total',
    help: 'Completed calls. status is 1xx (a WebSocket) to 5xx, aborted if the server or a service cut the response short, or disconnected if the caller disconnected before the response.',
    labelNames: ['surface', 'operation', 'status', 'code', 'env', 'service'],
    registers,
    collect() {
      this.reset();
      for (const { labels, outcomes } of rows.values()) {
        const { surface, operation, env, service } = labels;
        for (const [code, counts] of outcomes) {
          STATUSES.forEach((status, index) => {
            const calls = counts[index] ?? 0;
            if (calls > 0) this.inc({ surface, operation, status, code, env, service }, calls);
          });
        }
      }
    },
  });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    contentType: registry.contentType,
    toText: async (): Promise<string> =>
      `${await registry.metrics()}\n${toDurations([...rows.values()])}`,
    addGauge(name: string, help: string, read: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    count(call: EndedCall): void {
      const { surface, operation, env, service } = call;
      const key = `${surface} ${operation} ${env} ${service}`;
      let row = rows.get(key);
      if (row === undefined) {
        row = new CallRow({ surface, operation, env, service });
        rows.set(key, row);
      }
      row.count(call);
    },
    storeFailures: counter('berth_store_failures_total', 'Failed blob store operations.', 'method'),
    damagedFiles: counter('berth_damaged_files_total', 'Times that a damaged file was found.'),
    redisFailures: counter(
      'berth_redis_failures_total',
      'Times that Redis was not available: feature is quota, revocation or lock.',
      'feature',
    ),
  };
}

/** Upper limits of the buckets, in seconds. */
const BUCKET_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
];
const BUCKETS = [...BUCKET_BOUNDS, Number.POSITIVE_INFINITY];

/** Values of the label `status`: each class is at the first digit of its statuses. */
const STATUSES = ['disconnected', '1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'];

/** Calls with the same labels. The metrics of prom-client hash the labels of each call, which takes 3 µs. */
class CallRow {
  readonly labels: Labels;
  /** By code: the number of calls for each of `STATUSES`. */
  readonly outcomes = new Map<string, number[]>();
  /** Number of calls in each bucket: longer than the limit of the one before it, up to its own limit. */
  readonly buckets = BUCKETS.map(() => 0);
  seconds = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  count({ status, isAborted, code, seconds }: EndedCall): void {
    let counts = this.outcomes.get(code);
    if (counts === undefined) {
      counts = STATUSES.map(() => 0);
      this.outcomes.set(code, counts);
    }
    const index = isAborted ? STATUSES.indexOf('aborted') : Math.floor(status / 100);
    counts[index] = (counts[index] ?? 0) + 1;
    let bucket = 0;
    while (seconds > (BUCKETS[bucket] as number)) bucket += 1;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.seconds += seconds;
  }
}

const DURATIONS = 'berth_call_duration_seconds';

function toDurations(rows: readonly CallRow[]): string {
  const lines = [
    `# HELP ${DURATIONS} Time from the request head to the end of the response, in seconds.`,
    `# TYPE ${DURATIONS} histogram`,
  ];
  for (const { labels, buckets, seconds } of rows) {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    const text = pairs.join(',');
    let total = 0;
    BUCKETS.forEach((limit, index) => {
      total += buckets[index] ?? 0;
      const le = limit === Number.POSITIVE_INFINITY ? '+Inf' : limit;
      lines.push(`${DURATIONS}_bucket{${text},le="${le}"} ${total}`);
    });
    lines.push(`${DURATIONS}_sum{${text}} ${seconds}`, `${DURATIONS}_count{${text}} ${total}`);
  }
  return `${lines.join('\n')}\n`;
}
