import { BlobDamagedError, SourceKeptError, StoreUnavailableError } from '@berth/storage';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

interface EndedCall {
  readonly surface: string;
  readonly operation: string;
  /** A name in the configuration, or `other`, as is `service`: callers must not be able to create labels. */
  readonly env: string;
  readonly service: string;
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
  // By the text of their labels: the metrics of prom-client hash the labels of each call, which takes 3 µs.
  const calls = new Map<string, Row>();
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const storeFailures = counter(
    'berth_store_failures_total',
    'Failed storage operations, except those that only the caller can fix.',
  );
  const redisFailures = counter(
    'berth_redis_failures_total',
    'Failed Redis operations by feature: quota, revocation or lock.',
    'feature',
  );
  const damagedFiles = counter('berth_damaged_files_total', 'Times that a damaged file was found.');
  return {
    contentType: registry.contentType,
    toText: async () => [await registry.metrics(), ...toLines([...calls.values()]), ''].join('\n'),
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
    countCall(call: EndedCall): void {
      const { surface, operation, status, isAborted, code, env, service, seconds } = call;
      const outcome = isAborted ? 'aborted' : STATUSES[Math.floor(status / 100)];
      const labels = `surface="${surface}",operation="${operation}",status="${outcome}",code="${code}",env="${env}",service="${service}"`;
      let row = calls.get(labels);
      if (row === undefined) {
        const shared = `surface="${surface}",operation="${operation}",env="${env}",service="${service}"`;
        row = { labels, shared, buckets: BUCKETS.map(() => 0), seconds: 0 };
        calls.set(labels, row);
      }
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
      row.seconds += seconds;
    },
    /** Counts an error if it is a failure of the store. */
    countStoreError(error: unknown): void {
      const reason = error instanceof SourceKeptError ? error.cause : error;
      const isDamage = reason instanceof BlobDamagedError;
      if (isDamage) damagedFiles.inc();
      if (isDamage || reason instanceof StoreUnavailableError) storeFailures.inc();
    },
    countRedisFailure: (feature: string): void => redisFailures.inc({ feature }),
  };
}

/** Upper bounds of the buckets, in seconds. The last bucket has none. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const BUCKETS = [...BOUNDS, Number.POSITIVE_INFINITY];

/** Values of the label `status`: each class is at the first digit of its statuses. */
const STATUSES = ['disconnected', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** The calls with the same labels. */
interface Row {
  readonly labels: string;
  /** The labels of their durations, without status and code. */
  readonly shared: string;
  /** Number of calls in each bucket: longer than the bound of the one before it, up to its own bound. */
  readonly buckets: number[];
  seconds: number;
}

function* toLines(rows: readonly Row[]): Generator<string> {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const total = 'berth_calls_total';
  yield `# HELP ${total} Completed calls. status is 1xx (a WebSocket) to 5xx, aborted if the server or a service cut the response short, or disconnected if the caller disconnected before the response.`;
  yield `# TYPE ${total} counter`;
  for (const { labels, buckets } of rows) yield `${total}{${labels}} ${sum(buckets)}`;
  const duration = 'berth_call_duration_seconds';
  yield `# HELP ${duration} Time from the request head to the end of the response, in seconds.`;
  yield `# TYPE ${duration} histogram`;
  for (const [labels, same] of Map.groupBy(rows, ({ shared }) => shared)) {
    let count = 0;
    for (const [index, bound] of BUCKETS.entries()) {
      count += sum(same.map(({ buckets }) => buckets[index] ?? 0));
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : bound;
      yield `${duration}_bucket{${labels},le="${le}"} ${count}`;
    }
    yield `${duration}_sum{${labels}} ${sum(same.map(({ seconds }) => seconds))}`;
    yield `${duration}_count{${labels}} ${count}`;
  }
}
