import type { MetricValueWithName } from 'prom-client';
import type { Surface } from './surface.ts';

/** Upper bounds of the buckets: from half a millisecond to a long poll. */
const SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
];

/** One call that has ended. */
export interface EndedCall {
  readonly surface: Surface;
  /** operationId; empty where no operation was found. */
  readonly operation: string;
  /** 0 where the caller went away before an answer. */
  readonly status: number;
  /** Code of the error; empty where there was none. */
  readonly code: string;
  readonly seconds: number;
  readonly received: number;
  readonly sent: number;
}

type Labels = Readonly<Record<string, string>>;

/** A metric as prom-client writes and aggregates it. */
interface Samples {
  readonly name: string;
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  readonly aggregator: 'sum';
  readonly values: readonly MetricValueWithName<string>[];
}

/** Sums of the calls that are alike. */
class Series {
  readonly labels: Labels;
  readonly buckets = new Array<number>(SECONDS.length + 1).fill(0);
  calls = 0;
  seconds = 0;
  received = 0;
  sent = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }
}

/**
 * Sums up calls. Every call comes by here, and the counters of prom-client sort and join their labels
 * each time: these do it once, and are turned into samples when somebody asks.
 */
export class CallTally {
  readonly #series = new Map<string, Series>();
  #lastCall: EndedCall | undefined;
  #last: Series | undefined;

  add(call: EndedCall): void {
    const { seconds, received, sent } = call;
    // Most calls are like the one before.
    if (!isAlike(call, this.#lastCall)) this.#last = this.#seriesOf(call);
    this.#lastCall = call;
    const series = this.#last as Series;
    let bucket = 0;
    while (bucket < SECONDS.length && seconds > (SECONDS[bucket] as number)) bucket += 1;
    (series.buckets[bucket] as number) += 1;
    series.calls += 1;
    series.seconds += seconds;
    series.received += received;
    series.sent += sent;
  }

  #seriesOf({ surface, operation, status, code }: EndedCall): Series {
    const key = `${surface} ${operation} ${status} ${code}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const kind = status === 0 ? 'gone' : `${Math.floor(status / 100)}xx`;
      series = new Series({ surface, operation, status: kind, code });
      this.#series.set(key, series);
    }
    return series;
  }

  samples(): Samples[] {
    const calls = new Sums();
    const bytes = new Sums();
    const durations = new Sums();
    for (const series of this.#series.values()) {
      const { surface = '', operation = '' } = series.labels;
      calls.add(CALLS, series.labels, series.calls);
      bytes.add(BYTES, { surface, direction: 'received' }, series.received);
      bytes.add(BYTES, { surface, direction: 'sent' }, series.sent);
      let below = 0;
      for (const [at, count] of series.buckets.entries()) {
        below += count;
        const le = String(SECONDS[at] ?? '+Inf');
        durations.add(`${DURATION}_bucket`, { le, surface, operation }, below);
      }
      durations.add(`${DURATION}_sum`, { surface, operation }, series.seconds);
      durations.add(`${DURATION}_count`, { surface, operation }, series.calls);
    }
    return [
      toSamples(
        CALLS,
        'counter',
        'Calls that have ended. status is 1xx (a WebSocket) to 5xx, or gone where the caller did not wait.',
        calls,
      ),
      toSamples(
        DURATION,
        'histogram',
        'Time from the head of a call to the end of its answer.',
        durations,
      ),
      toSamples(
        BYTES,
        'counter',
        'Bytes of calls on the connections of callers, heads included.',
        bytes,
      ),
    ];
  }
}

function isAlike(a: EndedCall, b: EndedCall | undefined): boolean {
  return (
    b !== undefined &&
    a.operation === b.operation &&
    a.status === b.status &&
    a.code === b.code &&
    a.surface === b.surface
  );
}

const CALLS = 'berth_calls_total';
const DURATION = 'berth_call_duration_seconds';
const BYTES = 'berth_bytes_total';

/** Samples whose name and labels are the same, added up. */
class Sums {
  readonly values = new Map<string, MetricValueWithName<string>>();

  add(metricName: string, labels: Labels, value: number): void {
    const key = metricName + Object.values(labels).join(' ');
    const known = this.values.get(key);
    if (known === undefined) this.values.set(key, { metricName, labels, value });
    else known.value += value;
  }
}

function toSamples(name: string, type: Samples['type'], help: string, { values }: Sums): Samples {
  return { name, help, type, aggregator: 'sum', values: [...values.values()] };
}
