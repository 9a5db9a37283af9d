import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CallTally, type EndedCall } from './call-tally.ts';

export interface Gauges {
  readonly connections: () => number;
  readonly activeCalls: () => number;
  readonly eventStreams: () => number;
  readonly webSockets: () => number;
  /** Calls to hosted services that have not ended. */
  readonly outstanding: () => number;
  /** Lines of the log that nobody read, so far. */
  readonly droppedLines: () => number;
}

export interface Metrics {
  readonly registry: Registry;
  count(call: EndedCall): void;
  countStoreFailure(method: string): void;
  countChange(action: string): void;
  countLogin(result: 'hit' | 'miss'): void;
}

/** Makes the Prometheus metrics of one process. */
export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('berth_connections', 'Open connections of callers.', gauges.connections);
  gauge('berth_calls_active', 'Calls under way.', gauges.activeCalls);
  gauge('berth_event_streams', 'Open event streams.', gauges.eventStreams);
  gauge('berth_websockets', 'Open WebSockets.', gauges.webSockets);
  gauge('berth_upstream_outstanding', 'Calls to hosted services under way.', gauges.outstanding);

  const tally = new CallTally();
  for (const [at, { name }] of tally.samples().entries()) {
    registry.registerMetric({ name, get: async () => tally.samples()[at] } as never);
  }

  const storeFailures = new Counter({
    name: 'berth_store_failures_total',
    help: 'Operations that the blob store could not do.',
    labelNames: ['method'],
    registers,
  });
  const changes = new Counter({
    name: 'berth_file_changes_total',
    help: 'Files written, copied and deleted.',
    labelNames: ['action'],
    registers,
  });
  const logins = { hit: 0, miss: 0 };
  new Counter({
    name: 'berth_token_cache_total',
    help: 'Bearer tokens that were found verified (hit), or had to be verified (miss).',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(logins)) this.inc({ result }, count);
    },
  });

  new Counter({
    name: 'berth_log_lines_dropped_total',
    help: 'Lines of the log that were dropped because nobody read them.',
    registers,
    collect() {
      this.reset();
      this.inc(gauges.droppedLines());
    },
  });

  return {
    registry,
    count: (call) => tally.add(call),
    countStoreFailure: (method) => storeFailures.inc({ method }),
    countChange: (action) => changes.inc({ action }),
    countLogin(result) {
      logins[result] += 1;
    },
  };
}
